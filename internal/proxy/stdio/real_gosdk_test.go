// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//lint:file-ignore SA1019 sampling is deprecated, and is forwarded as long as it is there

//go:build unix

package stdio_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// runSDKServer is a server of the Go SDK on stdio that speaks the given revisions of
// MCP, or all. Its tools have the names of those of server-everything.
func runSDKServer(revisions []string) int {
	if err := newSDKServer(revisions).Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func newSDKServer(revisions []string) *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "gosdk", Version: "1"},
		&mcp.ServerOptions{SupportedProtocolVersions: revisions})
	mcp.AddTool(server, &mcp.Tool{Name: "echo"}, sdkEcho)
	mcp.AddTool(server, &mcp.Tool{Name: "get-sum"}, sdkSum)
	mcp.AddTool(server, &mcp.Tool{Name: "get-structured-content", InputSchema: map[string]any{
		"type": "object", "required": []string{"location"},
		"properties": map[string]any{"location": map[string]any{"enum": []string{"Chicago"}}},
	}}, sdkWeather)
	mcp.AddTool(server, &mcp.Tool{Name: "trigger-long-running-operation"}, sdkLongRunning)
	mcp.AddTool(server, &mcp.Tool{Name: "trigger-sampling-request"}, sdkSampling)
	mcp.AddTool(server, &mcp.Tool{Name: "trigger-elicitation-request"}, sdkElicitation)
	return server
}

func textResult(format string, args ...any) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf(format, args...)}}}
}

type sdkMessage struct {
	Message string `json:"message"`
}

func sdkEcho(_ context.Context, _ *mcp.CallToolRequest, in sdkMessage) (*mcp.CallToolResult, any, error) {
	return textResult("Echo: %s", in.Message), nil, nil
}

type sdkNumbers struct {
	A float64 `json:"a"`
	B float64 `json:"b"`
}

func sdkSum(_ context.Context, _ *mcp.CallToolRequest, in sdkNumbers) (*mcp.CallToolResult, any, error) {
	return textResult("The sum is %v.", in.A+in.B), nil, nil
}

type sdkWeatherReport struct {
	Conditions string `json:"conditions"`
}

func sdkWeather(context.Context, *mcp.CallToolRequest, map[string]any) (*mcp.CallToolResult, sdkWeatherReport, error) {
	return nil, sdkWeatherReport{"rain"}, nil
}

type sdkDuration struct {
	Duration float64 `json:"duration"`
	Steps    int     `json:"steps"`
}

func sdkLongRunning(ctx context.Context, req *mcp.CallToolRequest, in sdkDuration) (*mcp.CallToolResult, any, error) {
	tick := time.NewTicker(time.Duration(in.Duration / float64(in.Steps) * float64(time.Second)))
	defer tick.Stop()
	for i := range in.Steps {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
		if token := req.Params.GetProgressToken(); token != nil {
			progress := &mcp.ProgressNotificationParams{ProgressToken: token, Progress: float64(i + 1), Total: float64(in.Steps)}
			if err := req.Session.NotifyProgress(ctx, progress); err != nil {
				return nil, nil, err
			}
		}
	}
	return textResult("done"), nil, nil
}

// The server asks the client in a second round of the call (SEP-2322), or by a request
// of its own before 2026-07-28.
func inputRequired(question mcp.InputRequest) *mcp.CallToolResult {
	return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"q": question}, RequestState: "state"}
}

type sdkPrompt struct {
	Prompt    string `json:"prompt"`
	MaxTokens int64  `json:"maxTokens"`
}

func sdkSampling(_ context.Context, req *mcp.CallToolRequest, in sdkPrompt) (*mcp.CallToolResult, any, error) {
	answer, ok := req.Params.InputResponses["q"]
	if !ok {
		content := &mcp.TextContent{Text: in.Prompt}
		return inputRequired(&mcp.CreateMessageParams{
			MaxTokens: in.MaxTokens, Messages: []*mcp.SamplingMessage{{Role: "user", Content: content}},
		}), nil, nil
	}
	var texts []string
	switch answer := answer.(type) {
	case *mcp.CreateMessageResult:
		texts = append(texts, answer.Content.(*mcp.TextContent).Text)
	case *mcp.CreateMessageWithToolsResult:
		for _, c := range answer.Content {
			texts = append(texts, c.(*mcp.TextContent).Text)
		}
	}
	return textResult("answer: %s, state: %s", strings.Join(texts, " "), req.Params.RequestState), nil, nil
}

func sdkElicitation(_ context.Context, req *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
	answer, ok := req.Params.InputResponses["q"].(*mcp.ElicitResult)
	if !ok {
		return inputRequired(&mcp.ElicitParams{Message: "name?", RequestedSchema: map[string]any{
			"type": "object", "properties": map[string]any{"name": map[string]any{"type": "string"}},
		}}), nil, nil
	}
	return textResult("answer: %s", answer.Content["name"]), nil, nil
}
