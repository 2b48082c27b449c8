// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Answers each line with what a server that uses cJSON reads in it: [method, name, arguments], or null.
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cJSON *text(const cJSON *of) {
	const char *s = cJSON_GetStringValue(of);
	return s ? cJSON_CreateString(s) : cJSON_CreateNull();
}

int main(void) {
	char *line = NULL;
	size_t size = 0;
	while (getline(&line, &size, stdin) > 0) {
		cJSON *m = cJSON_Parse(line), *out = m ? cJSON_CreateArray() : cJSON_CreateNull();
		if (m) {
			cJSON *params = cJSON_GetObjectItem(m, "params"), *arguments = cJSON_GetObjectItem(params, "arguments");
			cJSON_AddItemToArray(out, text(cJSON_GetObjectItem(m, "method")));
			cJSON_AddItemToArray(out, text(cJSON_GetObjectItem(params, "name")));
			cJSON_AddItemToArray(out, arguments ? cJSON_Duplicate(arguments, 1) : cJSON_CreateObject());
		}
		char *answer = cJSON_PrintUnformatted(out);
		puts(answer ? answer : "null");
		fflush(stdout);
		free(answer);
		cJSON_Delete(out);
		cJSON_Delete(m);
	}
	return 0;
}
