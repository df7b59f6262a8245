// Adapter of the conformance runner: runs a jq program on one input.
import { compile as compileProgram, JqCompileError } from '../../dist/index.js';

export function compile(filter) {
  try {
    return compileProgram(filter);
  } catch (error) {
    if (error instanceof JqCompileError) error.phase = 'compile';
    throw error;
  }
}

export function evaluate(filter, input, { compileOnly } = {}) {
  const program = compile(filter);
  return compileOnly ? [] : program.run(input);
}
