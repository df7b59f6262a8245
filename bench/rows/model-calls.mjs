import { bareFanOut, laitFanOut } from '../support/fan-out.mjs';

const widths = [1, 10, 50, 200];

export default {
  title: '200 model calls of 50 ms',
  unit: 'ideal',
  scale: 'ratio',
  rounds: 10,
  staysWarm: true,
  cases: Object.fromEntries(
    widths.map((width) => [`${width} at once`, { branches: width === 1 ? 20 : 200, width }]),
  ),
  target: { subject: 'lait', below: 1.25, case: '50 at once' },
  note: `Wall time over the ideal one, which is the number of waves times 50 ms. The server is a process of its own. CPU is in
shares of the ideal time. One at once makes 20 calls. Both subjects are measured as a server has them that has run for a
while: warm, and without a full collection between the rounds, after which V8 compiles anew. In a process that has just
started, the first 200 calls at 50 at once take 0.65 ms of CPU each with lait and 1.9 ms with fetch, 1.2 and 1.8 times the
ideal time; after 2,000 calls it is 0.2 and 0.4 ms. Replies of one wave arrive at once and are handled one after the other,
so each 0.1 ms of CPU time a call adds 5 ms to 200 ms at 50 at once. lait is below fetch because it posts with Node's
HTTP client, without the objects and streams that the standard puts around every request and reply. Of its CPU time a fifth
is the system call that writes, a tenth garbage collection, a quarter Node's HTTP client with its sockets.`,
  subjects: {
    lait: { prepare: laitFanOut },
    'bare fetch': {
      prepare: (size) =>
        bareFanOut({ ...size, branch: (word, ask) => ask([{ role: 'user', content: `Say ${word}` }]) }),
    },
  },
};
