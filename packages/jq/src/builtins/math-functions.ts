/** Rounds halves away from zero, as C's round. */
export function roundAwayFromZero(x: number): number {
  const magnitude = Math.abs(x);
  if (!(magnitude < 2 ** 52)) return x;
  const floor = Math.floor(magnitude);
  const rounded = magnitude - floor >= 0.5 ? floor + 1 : floor;
  return x < 0 ? -rounded : rounded;
}

/** Rounds halves to the even neighbour, as C's rint in the default mode. */
export function roundToEven(x: number): number {
  const magnitude = Math.abs(x);
  if (!(magnitude < 2 ** 52)) return x;
  const floor = Math.floor(magnitude);
  const fraction = magnitude - floor;
  const rounded = fraction > 0.5 || (fraction === 0.5 && floor % 2 === 1) ? floor + 1 : floor;
  return x < 0 ? -rounded : rounded;
}

/** 10^x, exact for whole exponents. */
export function exp10(x: number): number {
  return Number.isInteger(x) && Math.abs(x) < 400 ? Number(`1e${x}`) : 10 ** x;
}

/** C's pow: unlike JavaScript's, 1^y and (-1)^±infinity are 1. */
export function pow(x: number, y: number): number {
  if (x === 1 || (x === -1 && Math.abs(y) === Infinity)) return 1;
  return x ** y;
}

/** Splits a number into a fraction of magnitude [0.5, 1) and a power of two. */
export function frexp(x: number): [fraction: number, exponent: number] {
  if (x === 0 || !Number.isFinite(x)) return [x, 0];
  let exponent = Math.max(-1023, Math.floor(Math.log2(Math.abs(x))) + 1);
  let fraction = x * 2 ** -exponent;
  while (Math.abs(fraction) < 0.5) {
    fraction *= 2;
    exponent--;
  }
  while (Math.abs(fraction) >= 1) {
    fraction /= 2;
    exponent++;
  }
  return [fraction, exponent];
}

/** The exponent of a number's binary form. */
export function logb(x: number): number {
  if (x === 0) return -Infinity;
  if (!Number.isFinite(x)) return x * x;
  return frexp(x)[1] - 1;
}

/** The mantissa of a number's binary form, of magnitude [1, 2). */
export function significand(x: number): number {
  return x === 0 || !Number.isFinite(x) ? x : frexp(x)[0] * 2;
}

/** x·2^exponent without losing what a too large intermediate power would. */
export function scale(x: number, exponent: number): number {
  let left = Math.max(-5000, Math.min(5000, Math.trunc(exponent)));
  if (Number.isNaN(exponent)) return Number.NaN;
  let result = x;
  while (left > 1000) {
    result *= 2 ** 1000;
    left -= 1000;
  }
  while (left < -1000) {
    result *= 2 ** -1000;
    left += 1000;
  }
  return result * 2 ** left;
}

/** The IEEE remainder: x minus the nearest multiple of y, halves to even. */
export function ieeeRemainder(x: number, y: number): number {
  if (!Number.isFinite(x) || Number.isNaN(y) || y === 0) return Number.NaN;
  if (!Number.isFinite(y)) return x;
  const divisor = Math.abs(y);
  let rest = x % (2 * divisor);
  // Halving keeps the comparison exact where doubling could overflow.
  if (Math.abs(rest) > divisor / 2) {
    const toZero = Math.abs(rest) - divisor;
    const isOverHalf = toZero > divisor / 2 || (toZero === divisor / 2 && toZero !== 0);
    const steps = isOverHalf ? 2 : 1;
    rest = rest > 0 ? rest - steps * divisor : rest + steps * divisor;
  }
  return rest === 0 ? (x < 0 || Object.is(x, -0) ? -0 : 0) : rest;
}

const bits = new DataView(new ArrayBuffer(8));

/** The next double after x in the direction of y. */
export function nextAfter(x: number, y: number): number {
  if (Number.isNaN(x) || Number.isNaN(y)) return Number.NaN;
  if (x === y) return y;
  if (x === 0) return y > 0 ? Number.MIN_VALUE : -Number.MIN_VALUE;
  bits.setFloat64(0, x);
  const towardsZero = x > y === x > 0;
  bits.setBigInt64(0, bits.getBigInt64(0) + (towardsZero ? -1n : 1n));
  return bits.getFloat64(0);
}

const lanczos = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

/** The gamma function; exact for small whole numbers. */
export function gamma(x: number): number {
  if (x === 0) return 1 / x;
  if (Number.isInteger(x)) {
    if (x < 0) return Number.NaN;
    if (x < 24) {
      let product = 1;
      for (let factor = 2; factor < x; factor++) product *= factor;
      return product;
    }
  }
  if (x === -Infinity) return Number.NaN;
  if (x < 0.5) return Math.PI / (Math.sin(Math.PI * x) * gamma(1 - x));
  if (x > 171.7) return x === Infinity || x > 171.7 ? Infinity : Number.NaN;
  const { sum, t } = lanczosSum(x - 1);
  // The power is taken in two halves: alone it overflows before the result does.
  const half = t ** ((x - 0.5) / 2);
  return Math.sqrt(2 * Math.PI) * half * Math.exp(-t) * half * sum;
}

function lanczosSum(x: number): { sum: number; t: number } {
  let sum = lanczos[0]!;
  for (let index = 1; index < lanczos.length; index++) sum += lanczos[index]! / (x + index);
  return { sum, t: x + lanczos.length - 1.5 };
}

/** The logarithm of the absolute value of the gamma function. */
export function logGamma(x: number): number {
  if (Number.isNaN(x)) return x;
  if (!Number.isFinite(x)) return Infinity;
  if (x <= 0 && Number.isInteger(x)) return Infinity;
  if (x === 1 || x === 2) return 0;
  if (x < 0.5) return Math.log(Math.PI / Math.abs(Math.sin(Math.PI * x))) - logGamma(1 - x);
  if (x < 100) return Math.log(Math.abs(gamma(x)));
  // Stirling's series is exact to double precision for large arguments.
  const series = 1 / (12 * x) - 1 / (360 * x ** 3) + 1 / (1260 * x ** 5);
  return (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + series;
}

/** The sign of the gamma function, as C's lgamma_r stores it. */
export function gammaSign(x: number): number {
  if (Object.is(x, -0)) return -1;
  return x < 0 && !Number.isInteger(x) && Math.floor(x) % 2 !== 0 ? -1 : 1;
}

/** The error function: its series near zero, a continued fraction of the complement elsewhere. */
export function erf(x: number): number {
  if (Number.isNaN(x)) return x;
  if (Math.abs(x) > 2.5) return x > 0 ? 1 - erfc(x) : erfc(-x) - 1;
  let term = x;
  let sum = x;
  for (let n = 1; n < 200; n++) {
    term *= (-x * x) / n;
    const part = term / (2 * n + 1);
    sum += part;
    if (Math.abs(part) < Math.abs(sum) * 1e-17) break;
  }
  return (2 / Math.sqrt(Math.PI)) * sum;
}

export function erfc(x: number): number {
  if (Number.isNaN(x)) return x;
  if (x < 0) return 2 - erfc(-x);
  if (x <= 2.5) return 1 - erf(x);
  if (x > 27) return 0;
  let fraction = 0;
  for (let n = 120; n > 0; n--) fraction = n / 2 / (x + fraction);
  return Math.exp(-x * x) / Math.sqrt(Math.PI) / (x + fraction);
}

const integrationSteps = 4000;

/** Bessel function of the first kind by its integral, which the trapezoid rule gives to double precision. */
export function besselJ(order: number, x: number): number {
  if (!Number.isFinite(x)) return Number.isNaN(x) ? x : 0;
  let sum = 0;
  for (let step = 0; step < integrationSteps; step++) {
    const angle = ((step + 0.5) * Math.PI) / integrationSteps;
    sum += Math.cos(order * angle - x * Math.sin(angle));
  }
  return sum / integrationSteps;
}

/** Bessel function of the second kind by its integrals. */
export function besselY(order: number, x: number): number {
  if (Number.isNaN(x) || x < 0) return Number.NaN;
  if (x === 0) return -Infinity;
  if (x === Infinity) return 0;
  const oscillating = integrate(0, Math.PI, (angle) => Math.sin(x * Math.sin(angle) - order * angle));
  const sign = order % 2 === 0 ? 1 : -1;
  const reach = Math.asinh(800 / x) + 1;
  const decaying = integrate(
    0,
    reach,
    (t) => (Math.exp(order * t) + sign * Math.exp(-order * t)) * Math.exp(-x * Math.sinh(t)),
  );
  return (oscillating - decaying) / Math.PI;
}

/** Simpson's rule. */
function integrate(from: number, to: number, integrand: (at: number) => number): number {
  const width = (to - from) / integrationSteps;
  let sum = integrand(from) + integrand(to);
  for (let step = 1; step < integrationSteps; step++) {
    sum += integrand(from + step * width) * (step % 2 === 1 ? 4 : 2);
  }
  return (sum * width) / 3;
}
