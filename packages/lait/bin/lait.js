#!/usr/bin/env node
// The launcher: checks the Node version before anything newer than it is parsed, then hands over.
import { statSync } from 'node:fs';

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 12)) {
  process.stderr.write(`lait: Node.js 20.12 or newer is needed, this is ${process.versions.node}\n`);
  process.exit(1);
}
const { enableCompileCache } = await import('node:module');
enableCompileCache?.();

const changedAt = (path) => statSync(new URL(path, import.meta.url), { throwIfNoEntry: false })?.mtimeMs ?? 0;

// The bundle starts faster. In a working copy it counts only while nothing was compiled after it.
const bundledAt = changedAt('../dist/bundle/main.js');
const compiledAt = Math.max(changedAt('../dist/.tsbuildinfo'), changedAt('../../jq/dist/.tsbuildinfo'));
const { main } = await import(
  bundledAt > 0 && bundledAt >= compiledAt ? '../dist/bundle/main.js' : '../dist/cli/main.js'
);
await main(process.argv.slice(2));
