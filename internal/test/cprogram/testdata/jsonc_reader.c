// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Answers each line with what a server that uses json-c reads in it: [method, name, arguments], or null.
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct json_object *text(struct json_object *of, const char *key) {
	struct json_object *v;
	if (!json_object_object_get_ex(of, key, &v) || !json_object_is_type(v, json_type_string))
		return NULL;
	return json_object_new_string(json_object_get_string(v)); // to the first NUL, as in C
}

int main(void) {
	char *line = NULL;
	size_t size = 0;
	ssize_t length;
	while ((length = getline(&line, &size, stdin)) > 0) {
		struct json_tokener *tok = json_tokener_new_ex(1000);
		struct json_object *m = json_tokener_parse_ex(tok, line, (int)length), *out = NULL;
		if (json_object_is_type(m, json_type_object)) {
			struct json_object *params = NULL, *arguments = NULL;
			json_object_object_get_ex(m, "params", &params);
			json_object_object_get_ex(params, "arguments", &arguments);
			out = json_object_new_array();
			json_object_array_add(out, text(m, "method"));
			json_object_array_add(out, text(params, "name"));
			json_object_array_add(out, arguments ? json_object_get(arguments) : json_object_new_object());
		}
		puts(json_object_to_json_string_ext(out, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
		fflush(stdout);
		json_object_put(out);
		json_object_put(m);
		json_tokener_free(tok);
	}
	return 0;
}
