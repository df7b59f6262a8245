#!/usr/bin/env node
// The launcher: checks the Node version before anything newer than it is parsed, then hands over.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 12)) {
  process.stderr.write(`lait: Node.js 20.12 or newer is needed, this is ${process.versions.node}\n`);
  process.exit(1);
}
const { enableCompileCache } = await import('node:module');
enableCompileCache?.();
const { main } = await import('../dist/cli/main.js');
await main(process.argv.slice(2));
