// Loaded before a measured program: says on file descriptor 3 how much CPU time it took.
const { writeSync } = require('node:fs');

process.on('exit', () => writeSync(3, JSON.stringify(process.cpuUsage())));
