// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package stdio_test

// The scripts of TestFidelity. See play for the language.

const everythingScript = `
> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{"listChanged":true},"sampling":{},"elicitation":{"form":{},"url":{}},"experimental":{"x.vendor":{"a":1.0}}},"clientInfo":{"name":"c\u00e4","version":"1"}}}
< 0
> {"jsonrpc":"2.0","method":"notifications/initialized"}
< notifications/tools/list_changed
< roots/list
> {"jsonrpc":"2.0","id":0,"result":{"roots":[{"uri":"file:///a%20b","name":"A"}],"_meta":{"n":1.0}}}
< notifications/message
# every page of tools
> {"jsonrpc":"2.0","id":"l","method":"tools/list","params":{"_meta":{"x.vendor/trace":"t"}}}
< "l"
> {"jsonrpc":"2.0","id":"l2","method":"tools/list"}
< "l2"
valid {"jsonrpc":"2.0","id":"v1","method":"tools/call","params":{"name":"validate","arguments":{"tool":"get-sum","arguments":{"a":1,"b":2}}}}
invalid {"jsonrpc":"2.0","id":"v2","method":"tools/call","params":{"name":"validate","arguments":{"tool":"get-sum","arguments":{"a":"1"}}}}
invalid {"jsonrpc":"2.0","id":"v3","method":"tools/call","params":{"name":"validate","arguments":{"tool":"no-such-tool","arguments":{}}}}
refused {"jsonrpc":"2.0","id":"r1","method":"tools/call","params":{"name":"get-sum","arguments":{"a":"1","b":2}}}
# ids
> {"jsonrpc":"2.0","id":1,"method":"ping"}
< 1
> {"jsonrpc":"2.0","id":-7,"method":"ping"}
< -7
> {"jsonrpc":"2.0","id":9007199254740991,"method":"ping"}
< 9007199254740991
> {"jsonrpc":"2.0","id":"9007199254740993","method":"ping"}
< "9007199254740993"
> {"jsonrpc":"2.0","id":"\u0061\"\\\u00e9\ud83d\ude00","method":"ping"}
< "a\"\\é😀"
> {"jsonrpc":"2.0","id":"","method":"ping"}
< ""
> {  "method" : "ping" ,	"id" : "spaces" , "jsonrpc" : "2.0" }
< "spaces"
# what the server does not know
> {"jsonrpc":"2.0","id":10,"method":"x.vendor/unknown","params":{"deep":[[[{"n":1e2}]]]}}
< 10
> {"jsonrpc":"2.0","method":"notifications/x.vendor","params":{"a":1}}
> {"jsonrpc":"2.0","id":11,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}
< 11
> {"jsonrpc":"2.0","id":12,"method":"resources/read","params":{"uri":"none://such"}}
< 12
# calls
> {"jsonrpc":"2.0","id":20,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hello"}}}
< 20
> {"jsonrpc":"2.0","id":21,"method":"tools/call","params":{"name":"echo","arguments":{"message":"\u0001 \ud83d\ude00 äöü 漢字 \u2028 \u2029 \r\n\t"},"x.vendor":{"k":[1.0,2e3]},"_meta":{"x.vendor/id":12345678901234567890}}}
< 21
> {"jsonrpc":"2.0","id":22,"method":"tools/call","params":{"name":"echo","arguments":{"message":"$LONG"}}}
< 22
> {"jsonrpc":"2.0","id":23,"method":"tools/call","params":{"name":"get-sum","arguments":{"a":9007199254740993,"b":0.1e-3}}}
< 23
> {"jsonrpc":"2.0","id":24,"method":"tools/call","params":{"name":"get-structured-content","arguments":{"location":"Chicago"}}}
< 24
> {"jsonrpc":"2.0","id":25,"method":"tools/call","params":{"name":"get-annotated-message","arguments":{"messageType":"error","includeImage":true}}}
< 25
> {"jsonrpc":"2.0","id":26,"method":"tools/call","params":{"name":"get-tiny-image"}}
< 26
> {"jsonrpc":"2.0","id":27,"method":"tools/call","params":{"name":"get-resource-links","arguments":{"count":4}}}
< 27
> {"jsonrpc":"2.0","id":28,"method":"tools/call","params":{"name":"get-resource-reference","arguments":{"resourceType":"Blob","resourceId":3}}}
< 28
> {"jsonrpc":"2.0","id":29,"method":"tools/call","params":{"name":"get-resource-reference","arguments":{"resourceType":"Text","resourceId":-1}}}
< 29
> {"jsonrpc":"2.0","id":30,"method":"tools/call","params":{"name":"get-env","arguments":{}}}
< 30
# on their way at once (of one kind: the server keeps their order)
> {"jsonrpc":"2.0","id":"p1","method":"tools/call","params":{"name":"echo","arguments":{"message":"1"}}}
> {"jsonrpc":"2.0","id":"p2","method":"tools/call","params":{"name":"echo","arguments":{"message":"2"}}}
> {"jsonrpc":"2.0","id":"p3","method":"tools/call","params":{"name":"echo","arguments":{"message":"3"}}}
> {"jsonrpc":"2.0","id":"p4","method":"tools/call","params":{"name":"echo","arguments":{"message":"4"}}}
< "p4"
# progress
> {"jsonrpc":"2.0","id":40,"method":"tools/call","params":{"name":"trigger-long-running-operation","arguments":{"duration":0.1,"steps":5},"_meta":{"progressToken":"t\u00f6ken"}}}
< 40
> {"jsonrpc":"2.0","id":41,"method":"tools/call","params":{"name":"trigger-long-running-operation","arguments":{"duration":0.05,"steps":2},"_meta":{"progressToken":41}}}
< notifications/progress 41
# cancel: never answered
> {"jsonrpc":"2.0","id":42,"method":"tools/call","params":{"name":"trigger-long-running-operation","arguments":{"duration":0.3,"steps":1}}}
> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":42,"reason":"enough"}}
> {"jsonrpc":"2.0","id":43,"method":"ping"}
< 43
# the server asks
> {"jsonrpc":"2.0","id":50,"method":"tools/call","params":{"name":"trigger-elicitation-request","arguments":{}}}
< elicitation/create
> {"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"name":"N","check":true,"number":1.0},"x.vendor":[1]}}
< 50
> {"jsonrpc":"2.0","id":51,"method":"tools/call","params":{"name":"trigger-elicitation-request","arguments":{}}}
< elicitation/create
> {"jsonrpc":"2.0","id":2,"error":{"code":-1,"message":"no","data":{"n":1.0}}}
< 51
> {"jsonrpc":"2.0","id":52,"method":"tools/call","params":{"name":"trigger-sampling-request","arguments":{"prompt":"p","maxTokens":5}}}
< sampling/createMessage
> {"jsonrpc":"2.0","id":3,"result":{"role":"assistant","content":{"type":"text","text":"t \u00e4"},"model":"m","stopReason":"endTurn"}}
< 52
> {"jsonrpc":"2.0","method":"notifications/roots/list_changed"}
< roots/list
> {"jsonrpc":"2.0","id":4,"result":{"roots":[]}}
< notifications/message
> {"jsonrpc":"2.0","id":53,"method":"tools/call","params":{"name":"get-roots-list","arguments":{}}}
< 53
# resources, subscriptions, a changed list
> {"jsonrpc":"2.0","id":60,"method":"resources/list"}
< 60
> {"jsonrpc":"2.0","id":61,"method":"resources/templates/list"}
< 61
> {"jsonrpc":"2.0","id":62,"method":"resources/read","params":{"uri":"demo://resource/static/document/architecture.md"}}
< 62
> {"jsonrpc":"2.0","id":63,"method":"resources/read","params":{"uri":"demo://resource/dynamic/text/7"}}
< 63
> {"jsonrpc":"2.0","id":64,"method":"resources/read","params":{"uri":"demo://nothing"}}
< 64
> {"jsonrpc":"2.0","id":65,"method":"resources/subscribe","params":{"uri":"demo://resource/dynamic/text/7"}}
< 65
> {"jsonrpc":"2.0","id":66,"method":"tools/call","params":{"name":"toggle-subscriber-updates","arguments":{}}}
< notifications/resources/updated 66
> {"jsonrpc":"2.0","id":67,"method":"tools/call","params":{"name":"toggle-subscriber-updates","arguments":{}}}
< 67
> {"jsonrpc":"2.0","id":68,"method":"resources/unsubscribe","params":{"uri":"demo://resource/dynamic/text/7"}}
< 68
> {"jsonrpc":"2.0","id":69,"method":"tools/call","params":{"name":"gzip-file-as-resource","arguments":{"name":"x.gz","data":"data:text/plain,hello","outputType":"resourceLink"}}}
< notifications/resources/list_changed 69
# prompts and completion
> {"jsonrpc":"2.0","id":70,"method":"prompts/get","params":{"name":"args-prompt","arguments":{"city":"Z\u00fcrich"}}}
< 70
> {"jsonrpc":"2.0","id":71,"method":"prompts/get","params":{"name":"no-such-prompt"}}
< 71
> {"jsonrpc":"2.0","id":72,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"completable-prompt"},"argument":{"name":"department","value":"S"}}}
< 72
# logging
> {"jsonrpc":"2.0","id":80,"method":"logging/setLevel","params":{"level":"debug"}}
< 80
> {"jsonrpc":"2.0","id":81,"method":"tools/call","params":{"name":"toggle-simulated-logging","arguments":{}}}
< 81
> {"jsonrpc":"2.0","id":82,"method":"tools/call","params":{"name":"toggle-simulated-logging","arguments":{}}}
< 82
`

// A task keeps the server from ending by itself.
const tasksScript = `
> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"tasks":{"list":{}}},"clientInfo":{"name":"c","version":"1"}}}
< 0
> {"jsonrpc":"2.0","method":"notifications/initialized"}
> {"jsonrpc":"2.0","id":"t","method":"tools/call","params":{"name":"simulate-research-query","arguments":{"topic":"t"},"task":{"ttl":60000,"x.vendor":1.0}}}
< "t"
> {"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"$TASK"}}
< 1
> {"jsonrpc":"2.0","id":2,"method":"tasks/cancel","params":{"taskId":"$TASK"}}
< 2
> {"jsonrpc":"2.0","id":3,"method":"tasks/list"}
< 3
`

const filesystemScript = `
> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"roots":{"listChanged":true}},"clientInfo":{"name":"c","version":"1"}}}
< 0
> {"jsonrpc":"2.0","method":"notifications/initialized"}
< roots/list
> {"jsonrpc":"2.0","id":0,"result":{"roots":[{"uri":"file://$DIR","name":"files"}]}}
# calls before the first tools/list
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_allowed_directories"}}
< 1
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read_text_file","arguments":{"path":"$DIR/a.txt"}}}
< 2
> {"jsonrpc":"2.0","id":3,"method":"tools/list"}
< 3
> {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"read_file","arguments":{"path":"$DIR/a.txt","head":1}}}
< 4
> {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"read_text_file","arguments":{"path":"$DIR/a.txt","tail":2}}}
< 5
> {"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"read_text_file","arguments":{"path":"$DIR/a.txt","tail":2,"head":1}}}
< 6
> {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"read_text_file","arguments":{"path":"$DIR/missing.txt"}}}
< 7
> {"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"read_text_file","arguments":{"path":"$DIR/../../etc/passwd"}}}
< 8
> {"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"read_text_file","arguments":{"path":"$DIR/sub/\u00fcml\u00e4ut \ud83d\ude00.txt"}}}
< 9
refused {"jsonrpc":"2.0","id":"r1","method":"tools/call","params":{"name":"write_file","arguments":{"path":"$DIR/b.txt","contents":"x"}}}
refused {"jsonrpc":"2.0","id":"r2","method":"tools/call","params":{"name":"edit_file","arguments":{"path":"$DIR/a.txt","edits":[{"oldText":"one"}]}}}
invalid {"jsonrpc":"2.0","id":"v1","method":"tools/call","params":{"name":"validate","arguments":{"tool":"write_file","arguments":{"path":"$DIR/b.txt"}}}}
valid {"jsonrpc":"2.0","id":"v2","method":"tools/call","params":{"name":"validate","arguments":{"tool":"write_file","arguments":{"path":"$DIR/b.txt","content":"x"}}}}
# nothing of that was done
> {"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":"list_directory","arguments":{"path":"$DIR"}}}
< 10
> {"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"write_file","arguments":{"path":"$DIR/b.txt","content":"4 \u00e4 \ud83d\ude00 \u0001\r\n"}}}
< 11
> {"jsonrpc":"2.0","id":12,"method":"tools/call","params":{"name":"read_text_file","arguments":{"path":"$DIR/b.txt"}}}
< 12
> {"jsonrpc":"2.0","id":13,"method":"tools/call","params":{"name":"write_file","arguments":{"path":"$DIR/long.txt","content":"$LONG"}}}
< 13
> {"jsonrpc":"2.0","id":14,"method":"tools/call","params":{"name":"read_text_file","arguments":{"path":"$DIR/long.txt"}}}
< 14
> {"jsonrpc":"2.0","id":15,"method":"tools/call","params":{"name":"edit_file","arguments":{"path":"$DIR/a.txt","edits":[{"oldText":"two","newText":"zwei"}],"dryRun":true}}}
< 15
> {"jsonrpc":"2.0","id":16,"method":"tools/call","params":{"name":"edit_file","arguments":{"path":"$DIR/a.txt","edits":[{"oldText":"two","newText":"zwei"},{"oldText":"one","newText":"eins"}]}}}
< 16
> {"jsonrpc":"2.0","id":17,"method":"tools/call","params":{"name":"edit_file","arguments":{"path":"$DIR/a.txt","edits":[{"oldText":"nowhere","newText":""}]}}}
< 17
> {"jsonrpc":"2.0","id":18,"method":"tools/call","params":{"name":"create_directory","arguments":{"path":"$DIR/new/deep"}}}
< 18
> {"jsonrpc":"2.0","id":19,"method":"tools/call","params":{"name":"move_file","arguments":{"source":"$DIR/b.txt","destination":"$DIR/new/c.txt"}}}
< 19
> {"jsonrpc":"2.0","id":20,"method":"tools/call","params":{"name":"move_file","arguments":{"source":"$DIR/b.txt","destination":"$DIR/new/c.txt"}}}
< 20
> {"jsonrpc":"2.0","id":21,"method":"tools/call","params":{"name":"list_directory_with_sizes","arguments":{"path":"$DIR","sortBy":"size"}}}
< 21
> {"jsonrpc":"2.0","id":22,"method":"tools/call","params":{"name":"directory_tree","arguments":{"path":"$DIR","excludePatterns":["sub"]}}}
< 22
> {"jsonrpc":"2.0","id":23,"method":"tools/call","params":{"name":"search_files","arguments":{"path":"$DIR","pattern":"**/*.txt"}}}
< 23
> {"jsonrpc":"2.0","id":24,"method":"tools/call","params":{"name":"get_file_info","arguments":{"path":"$DIR/a.txt"}}}
< 24
> {"jsonrpc":"2.0","id":25,"method":"tools/call","params":{"name":"read_multiple_files","arguments":{"paths":["$DIR/a.txt","$DIR/missing.txt","$DIR/new/c.txt"]}}}
< 25
> {"jsonrpc":"2.0","id":26,"method":"tools/call","params":{"name":"read_media_file","arguments":{"path":"$DIR/a.txt"}}}
< 26
> {"jsonrpc":"2.0","id":27,"method":"tools/call","params":{"name":"get_file_info","arguments":{"path":"$DIR/a.txt","unknown":1}}}
< 27
# on their way at once
> {"jsonrpc":"2.0","id":"p1","method":"tools/call","params":{"name":"list_allowed_directories","arguments":{}}}
> {"jsonrpc":"2.0","id":"p2","method":"tools/call","params":{"name":"list_allowed_directories","arguments":{}}}
> {"jsonrpc":"2.0","id":"p3","method":"tools/call","params":{"name":"list_allowed_directories","arguments":{}}}
< "p3"
# new roots
> {"jsonrpc":"2.0","method":"notifications/roots/list_changed"}
< roots/list
> {"jsonrpc":"2.0","id":1,"result":{"roots":[{"uri":"file://$DIR/sub"}]}}
> {"jsonrpc":"2.0","id":30,"method":"tools/call","params":{"name":"read_text_file","arguments":{"path":"$DIR/sub/none"}}}
< 30
> {"jsonrpc":"2.0","id":31,"method":"prompts/list"}
< 31
> {"jsonrpc":"2.0","id":32,"method":"tools/list","params":{"cursor":"no-such-page"}}
< 32
> {"jsonrpc":"2.0","id":33,"method":"ping","params":{"_meta":{"progressToken":1}}}
< 33
`

const memoryScript = `
> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
< 0
> {"jsonrpc":"2.0","method":"notifications/initialized"}
> {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}
< 1
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"create_entities","arguments":{"entities":[{"name":"J\u00fcrgen","entityType":"person","observations":["likes \ud83d\ude00"]},{"name":"Go","entityType":"language","observations":[]}]}}}
< 2
refused {"jsonrpc":"2.0","id":"r1","method":"tools/call","params":{"name":"create_entities","arguments":{"entities":[{"name":"X"}]}}}
invalid {"jsonrpc":"2.0","id":"v1","method":"tools/call","params":{"name":"validate","arguments":{"tool":"create_relations","arguments":{"relations":[{"from":"a"}]}}}}
valid {"jsonrpc":"2.0","id":"v2","method":"tools/call","params":{"name":"validate","arguments":{"tool":"delete_entities","arguments":{"entityNames":["Go"]}}}}
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"create_relations","arguments":{"relations":[{"from":"J\u00fcrgen","to":"Go","relationType":"writes"}]}}}
< 3
> {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"add_observations","arguments":{"observations":[{"entityName":"Go","contents":["fast","$LONG"]}]}}}
< 4
> {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"add_observations","arguments":{"observations":[{"entityName":"nobody","contents":["x"]}]}}}
< 5
> {"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"read_graph","arguments":{}}}
< 6
> {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"search_nodes","arguments":{"query":"likes"}}}
< 7
> {"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"open_nodes","arguments":{"names":["Go","nobody"]}}}
< 8
> {"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"delete_observations","arguments":{"deletions":[{"entityName":"Go","observations":["fast"]}]}}}
< 9
> {"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":"delete_relations","arguments":{"relations":[{"from":"J\u00fcrgen","to":"Go","relationType":"writes"}]}}}
< 10
> {"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"delete_entities","arguments":{"entityNames":["Go"]}}}
< 11
> {"jsonrpc":"2.0","id":12,"method":"tools/call","params":{"name":"read_graph"}}
< 12
> {"jsonrpc":"2.0","id":13,"method":"resources/list"}
< 13
`
