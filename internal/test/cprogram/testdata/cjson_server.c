// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// An honest MCP server on stdio, as programs with cJSON are written. It has the tools safe, read and
// shell, and writes each call that it runs to the file in the environment variable RAN.
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void answer(cJSON *id, const char *result) {
	char *i = cJSON_PrintUnformatted(id);
	printf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n", i, result);
	fflush(stdout);
	free(i);
}

int main(void) {
	char *line = NULL;
	size_t size = 0;
	while (getline(&line, &size, stdin) > 0) {
		cJSON *m = cJSON_Parse(line);
		const char *method = cJSON_GetStringValue(cJSON_GetObjectItem(m, "method"));
		cJSON *id = cJSON_GetObjectItem(m, "id"), *params = cJSON_GetObjectItem(m, "params");
		if (!method || !id) {
			cJSON_Delete(m);
			continue;
		}
		if (!strcmp(method, "initialize")) {
			answer(id, "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"c\",\"version\":\"1\"}}");
		} else if (!strcmp(method, "tools/list")) {
			answer(id, "{\"tools\":[{\"name\":\"safe\",\"inputSchema\":{\"type\":\"object\"}},"
				"{\"name\":\"read\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"path\":{\"type\":\"string\"}}}},"
				"{\"name\":\"shell\",\"inputSchema\":{\"type\":\"object\"}}]}");
		} else if (!strcmp(method, "tools/call")) {
			const char *name = cJSON_GetStringValue(cJSON_GetObjectItem(params, "name"));
			const char *path = cJSON_GetStringValue(cJSON_GetObjectItem(cJSON_GetObjectItem(params, "arguments"), "path"));
			FILE *f = fopen(getenv("RAN"), "a");
			if (f) {
				fprintf(f, "%s %s\n", name ? name : "-", path ? path : "-");
				fclose(f);
			}
			answer(id, "{\"content\":[{\"type\":\"text\",\"text\":\"ran\"}]}");
		} else {
			answer(id, "{}");
		}
		cJSON_Delete(m);
	}
	return 0;
}
