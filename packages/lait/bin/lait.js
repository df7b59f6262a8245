#!/usr/bin/env node
// The launcher: checks the Node version before anything newer than it is parsed, then hands over. It and the bundle are
// CommonJS, because Node starts CommonJS faster than modules.
'use strict';

const { statSync } = require('node:fs');
const { join } = require('node:path');

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 12)) {
  process.stderr.write(`lait: Node.js 20.12 or newer is needed, this is ${process.versions.node}\n`);
  process.exit(1);
}
require('node:module').enableCompileCache?.();

const compiled = join(__dirname, '../dist');
const changedAt = (path) => statSync(join(compiled, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;

// In a working copy the bundle counts only while nothing was compiled after it.
const bundledAt = changedAt('bundle/main.cjs');
const compiledAt = Math.max(changedAt('.tsbuildinfo'), changedAt('../../jq/dist/.tsbuildinfo'));
if (bundledAt > 0 && bundledAt >= compiledAt) require('../dist/bundle/main.cjs').main(process.argv.slice(2));
else import('../dist/cli/main.js').then(({ main }) => main(process.argv.slice(2)));
