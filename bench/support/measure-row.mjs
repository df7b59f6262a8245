import { peersInstalled } from './peers.mjs';
import { summarize } from './statistics.mjs';
import { CommandSubject, ProcessSubject } from './subject.mjs';

/** @typedef {{ case: string, subject: string, peer: boolean, wall: object, cpu?: object, memory: object }} Measurement */

/**
 * Measures one row. All subjects of a case are alive at the same time and take turns, so that whatever else the machine
 * does hits them alike. Returns one measurement for each case and subject; a subject that fails says why.
 */
export async function measureRow(row, rowUrl, { peers, rounds }) {
  const measured = [];
  for (const caseName of Object.keys(row.cases)) {
    const names = Object.keys(row.subjects).filter((name) => {
      const { peer, cases } = row.subjects[name];
      return (
        (peer !== true || (peers && peersInstalled())) && (cases === undefined || cases.includes(caseName))
      );
    });
    const alive = [];
    for (const name of names) {
      const { command, peer = false } = row.subjects[name];
      const identity = { case: caseName, subject: name, peer };
      try {
        const subject =
          command === undefined
            ? await ProcessSubject.start(rowUrl, name, caseName)
            : new CommandSubject(await command(row.cases[caseName]));
        alive.push({ identity, subject, rounds: [] });
      } catch (error) {
        measured.push({ ...identity, failed: error.message });
      }
    }
    await takeTurns(alive, rounds ?? row.rounds ?? 12);
    for (const { identity, subject, rounds: times } of alive) {
      const cpu = times.map(({ cpuMs }) => cpuMs).filter((value) => value !== undefined);
      measured.push({
        ...identity,
        wall: summarize(times.map(({ wallMs }) => wallMs)),
        ...(cpu.length === 0 ? {} : { cpu: summarize(cpu) }),
        memory: await subject.end(),
      });
    }
  }
  await row.close?.();
  return measured;
}

/** A slow case ends with fewer rounds. */
const leastRounds = 5;
const longEnoughMs = 30_000;

/** One round each, again and again, every other time in the opposite order. */
async function takeTurns(alive, count) {
  const startedAt = performance.now();
  for (let round = 0; round < count; round += 1) {
    if (round >= leastRounds && performance.now() - startedAt > longEnoughMs) return;
    const order = round % 2 === 0 ? alive : [...alive].reverse();
    for (const one of order) one.rounds.push(await one.subject.round());
  }
}
