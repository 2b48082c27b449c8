// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// usage: node scripts/build.mjs
// Builds the package twice, as ES modules and as CommonJS, and then its tests and fixtures.

import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const tsc = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url));
const compile = (project) => execFileSync(process.execPath, [tsc, '-p', project], { stdio: 'inherit' });

for (const dir of ['dist', 'build']) rmSync(dir, { recursive: true, force: true });
compile('tsconfig.json');
compile('tsconfig.cjs.json');
writeFileSync('dist/cjs/package.json', '{ "type": "commonjs" }\n');
compile('tsconfig.test.json');
