import { type Code, type Direct, linkWithPaths } from './code.js';
import { type Env, extend } from './env.js';
import { functionReturn, LabelToken, type Op } from './machine.js';
import { linkAside } from './strict.js';

/** Machine form: removes the innermost cell. A function's return restores the environment itself. */
function linkScopeEnd(next: Op): Op {
  if (next === functionReturn) return next;
  return (machine) => {
    machine.env = machine.env.up!;
    return next;
  };
}

/** `source as $name | body`, with `body` compiled for an environment one cell longer. */
export function bindCode(source: Code, body: Code): Code {
  const bounded = source.bounded && body.bounded;
  const link = (next: Op): Op => {
    const bodyOp = body.link(linkScopeEnd(next));
    return linkAside(source, (machine, value) => {
      machine.env = extend(machine.env, value);
      return bodyOp;
    });
  };
  const bind = source.direct;
  if (bind === null) {
    return {
      cardinality: 'many',
      bounded,
      direct: null,
      push: (value, path, env, emit) =>
        source.push(value, null, env, (bound) => body.push(value, path, extend(env, bound), emit)),
      link,
    };
  }
  const push: Code['push'] = (value, path, env, emit) => {
    const bound = bind(value, env);
    return bound === undefined ? false : body.push(value, path, extend(env, bound), emit);
  };
  if (body.direct === null) return { cardinality: 'many', bounded, direct: null, push, link };
  const run = body.direct;
  const direct: Direct = (value, env) => {
    const bound = bind(value, env);
    return bound === undefined ? undefined : run(value, extend(env, bound));
  };
  const cardinality = source.cardinality === 'one' && body.cardinality === 'one' ? 'one' : 'optional';
  return { cardinality, bounded, direct, push, link: bounded ? linkWithPaths(direct, link) : link };
}

/** `label $name | body`, with `body` compiled for an environment one cell longer. */
export function labelCode(body: Code): Code {
  return {
    cardinality: 'many',
    bounded: body.bounded,
    direct: null,
    push: (value, path, env, emit) => {
      const token = new LabelToken();
      const { context } = env;
      const { depth } = context;
      try {
        return body.push(value, path, extend(env, token), emit);
      } catch (error) {
        if (error !== token) throw error;
        context.depth = depth;
        return false;
      }
    },
    link: (next) => {
      const bodyOp = body.link(linkScopeEnd(next));
      return (machine) => {
        const token = new LabelToken();
        machine.label(token);
        machine.env = extend(machine.env, token);
        return bodyOp;
      };
    },
  };
}

/** `break $name`, given how to find the label's cell. */
export function breakCode(find: (env: Env) => Env): Code {
  const leave = (env: Env): never => {
    throw find(env).value;
  };
  return {
    cardinality: 'optional',
    bounded: true,
    direct: (_value, env) => leave(env),
    push: (_value, _path, env) => leave(env),
    link: () => (machine) => leave(machine.env),
  };
}
