import { Raised } from '../values/raise.js';
import { allBounded, type Cardinality, type Code, type Direct, linkWithPaths } from './code.js';
import { type Fork, Frame, type Op } from './machine.js';

/** `try body catch handler`; without a handler, errors end the outputs silently. */
export function tryCode(body: Code, handler: Code | null): Code {
  const bounded = allBounded(handler === null ? [body] : [body, handler]);
  const link = (next: Op): Op => linkTry(body, handler, next);
  const push: Code['push'] = (value, path, env, emit) => {
    const { context } = env;
    const { depth } = context;
    // An error of what receives the outputs is not an error of the body.
    let inside = true;
    try {
      return body.push(value, path, env, (result, resultPath) => {
        inside = false;
        const stop = emit(result, resultPath);
        inside = true;
        return stop;
      });
    } catch (error) {
      if (!inside || !(error instanceof Raised)) throw error;
      context.depth = depth;
      return handler === null ? false : handler.push(error.value, path, env, emit);
    }
  };
  if (body.direct === null || (handler !== null && handler.direct === null)) {
    return { cardinality: 'many', bounded, direct: null, push, link };
  }
  const direct = tryDirect(body.direct, handler === null ? null : handler.direct!);
  const isOne = body.cardinality === 'one' && handler?.cardinality === 'one';
  const cardinality: Cardinality = isOne ? 'one' : 'optional';
  return { cardinality, bounded, direct, push, link: bounded ? linkWithPaths(direct, link) : link };
}

function tryDirect(body: Direct, handler: Direct | null): Direct {
  return (value, env) => {
    const { context } = env;
    const { depth } = context;
    try {
      return body(value, env);
    } catch (error) {
      if (!(error instanceof Raised)) throw error;
      context.depth = depth;
      return handler === null ? undefined : handler(error.value, env);
    }
  };
}

function linkTry(body: Code, handler: Code | null, next: Op): Op {
  const handlerOp: Op | null = handler === null ? null : handler.link(next);
  const leave: Op = (machine) => {
    const frame = machine.stack!;
    machine.stack = frame.up;
    machine.exitTry(frame.a as Fork);
    return next;
  };
  const bodyOp = body.link(leave);
  return (machine) => {
    const fork = machine.enterTry(handlerOp);
    machine.stack = new Frame(machine.stack, fork, null, null);
    return bodyOp;
  };
}

/**
 * `a ?// b ?// …`: an error raised by one attempt, or by what receives its outputs, starts the next one. Errors of
 * the last one count.
 */
export function attemptsCode(attempts: readonly Code[]): Code {
  return {
    cardinality: 'many',
    bounded: allBounded(attempts),
    direct: null,
    push: (value, path, env, emit) => {
      const { context } = env;
      const { depth } = context;
      for (let index = 0; index < attempts.length - 1; index++) {
        try {
          return attempts[index]!.push(value, path, env, emit);
        } catch (error) {
          if (!(error instanceof Raised)) throw error;
          context.depth = depth;
        }
      }
      return attempts.at(-1)!.push(value, path, env, emit);
    },
    link: (next) =>
      attempts
        .map((attempt) => attempt.link(next))
        .reduceRight((after, attempt) => {
          // The raised value is not wanted: the next attempt starts with the same input.
          const restore: Op = (machine) => {
            machine.value = machine.resumed!.value;
            return after;
          };
          return (machine) => {
            machine.enterTry(restore);
            return attempt;
          };
        }),
  };
}
