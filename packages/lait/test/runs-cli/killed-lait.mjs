// The command line, killed at a fault point. Arguments: the point, which of its happenings, the command.

import { main } from '../../dist/cli/main.js';
import { onFaultPoint } from '../../dist/engine/fault-point.js';

const [point, happening, ...args] = process.argv.slice(2);
let count = 0;
onFaultPoint((name) => {
  if (name === point && ++count === Number(happening)) process.kill(process.pid, 'SIGKILL');
});
await main(args);
