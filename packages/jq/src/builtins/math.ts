import { negate } from '../values/arithmetic.js';
import { compareScalars } from '../values/compare.js';
import { describe } from '../values/describe.js';
import type { JsonValue } from '../values/json.js';
import { raise } from '../values/raise.js';
import { type BuiltinTable, type ValueFunction, valueTable } from './builtin.js';
import * as special from './math-functions.js';

function numberOf(value: JsonValue): number {
  return typeof value === 'number' ? value : raise(`${describe(value)} number required`);
}

const unary =
  (compute: (x: number) => JsonValue): ValueFunction =>
  (input) =>
    compute(numberOf(input));

/** Functions of two arguments ignore the input. */
const binary =
  (compute: (x: number, y: number) => number): ValueFunction =>
  (_input, [x, y]) =>
    compute(numberOf(x!), numberOf(y!));

const unaryFunctions: Record<string, (x: number) => JsonValue> = {
  floor: Math.floor,
  ceil: Math.ceil,
  trunc: Math.trunc,
  round: special.roundAwayFromZero,
  rint: special.roundToEven,
  nearbyint: special.roundToEven,
  sqrt: Math.sqrt,
  cbrt: Math.cbrt,
  fabs: Math.abs,
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  asin: Math.asin,
  acos: Math.acos,
  atan: Math.atan,
  sinh: Math.sinh,
  cosh: Math.cosh,
  tanh: Math.tanh,
  asinh: Math.asinh,
  acosh: Math.acosh,
  atanh: Math.atanh,
  exp: Math.exp,
  exp2: (x) => 2 ** x,
  exp10: special.exp10,
  expm1: Math.expm1,
  log: Math.log,
  log2: Math.log2,
  log10: Math.log10,
  log1p: Math.log1p,
  logb: special.logb,
  significand: special.significand,
  gamma: special.logGamma,
  lgamma: special.logGamma,
  lgamma_r: (x) => [special.logGamma(x), special.gammaSign(x)],
  tgamma: special.gamma,
  erf: special.erf,
  erfc: special.erfc,
  j0: (x) => special.besselJ(0, x),
  j1: (x) => special.besselJ(1, x),
  y0: (x) => special.besselY(0, x),
  y1: (x) => special.besselY(1, x),
  frexp: special.frexp,
  modf: (x) => {
    const whole = Math.trunc(x);
    return [Number.isFinite(x) ? x - whole : Number.isNaN(x) ? x : 0, whole];
  },
};

const binaryFunctions: Record<string, (x: number, y: number) => number> = {
  pow: special.pow,
  atan2: Math.atan2,
  fmin: (x, y) => (Number.isNaN(x) ? y : Number.isNaN(y) ? x : Math.min(x, y)),
  fmax: (x, y) => (Number.isNaN(x) ? y : Number.isNaN(y) ? x : Math.max(x, y)),
  fmod: (x, y) => x % y,
  fdim: (x, y) => (Number.isNaN(x) || Number.isNaN(y) ? Number.NaN : Math.max(x - y, 0)),
  hypot: (x, y) => Math.hypot(x, y),
  copysign: (x, y) => (y < 0 || Object.is(y, -0) ? -Math.abs(x) : Math.abs(x)),
  drem: special.ieeeRemainder,
  remainder: special.ieeeRemainder,
  ldexp: special.scale,
  scalb: special.scale,
  scalbln: special.scale,
  nextafter: special.nextAfter,
  nexttoward: special.nextAfter,
  jn: (n, x) => special.besselJ(Math.trunc(n), x),
  yn: (n, x) => special.besselY(Math.trunc(n), x),
};

/** The functions of C's math library that jq offers, and `abs`. */
export const mathBuiltins: BuiltinTable = valueTable({
  'isinfinite/0': (input) => typeof input === 'number' && Math.abs(input) === Infinity,
  'isnan/0': (input) => Number.isNaN(input),
  'isnormal/0': (input) =>
    typeof input === 'number' && Number.isFinite(input) && Math.abs(input) >= 2 ** -1022,
  // What sorts below zero is negated, which only numbers can be; the rest stays as it is.
  'abs/0': (input) => (compareScalars(input, 0) < 0 && !Number.isNaN(input) ? negate(input) : input),
  ...Object.fromEntries(
    Object.entries(unaryFunctions).map(([name, compute]) => [`${name}/0`, unary(compute)]),
  ),
  ...Object.fromEntries(
    Object.entries(binaryFunctions).map(([name, compute]) => [`${name}/2`, binary(compute)]),
  ),
  'fma/3': (_input, [x, y, z]) => numberOf(x!) * numberOf(y!) + numberOf(z!),
});
