import { templateFilters } from './filters.js';
import {
  contains,
  defined,
  isNumeric,
  isTemplateObject,
  type TemplateValue,
  templateEqual,
  templateOrder,
  UndefinedValue,
} from './operations.js';

type Test = (value: TemplateValue, argument: TemplateValue) => boolean;

const isInteger: Test = (value) => typeof value === 'number' && Number.isInteger(value);
const isText: Test = (value) => typeof value === 'string';

/** The tests behind `is`, by name. */
export const templateTests: ReadonlyMap<string, Test> = new Map<string, Test>([
  ['defined', (value) => !(value instanceof UndefinedValue)],
  ['undefined', (value) => value instanceof UndefinedValue],
  ['none', (value) => defined(value) === null],
  ['boolean', (value) => typeof value === 'boolean'],
  ['true', (value) => value === true],
  ['false', (value) => value === false],
  ['integer', isInteger],
  ['float', (value) => typeof value === 'number' && !Number.isInteger(value)],
  ['number', (value) => typeof value === 'number'],
  ['string', isText],
  ['mapping', (value) => isTemplateObject(value)],
  ['sequence', (value) => Array.isArray(value) || typeof value === 'string'],
  ['iterable', (value) => Array.isArray(value) || typeof value === 'string' || isTemplateObject(value)],
  ['callable', (value) => typeof value === 'function'],
  ['even', (value) => isNumeric(value) && Number(value) % 2 === 0],
  ['odd', (value) => isNumeric(value) && Math.abs(Number(value) % 2) === 1],
  ['divisibleby', (value, argument) => Number(defined(value)) % Number(defined(argument)) === 0],
  ['lower', (value) => typeof value === 'string' && value === value.toLowerCase()],
  ['upper', (value) => typeof value === 'string' && value === value.toUpperCase()],
  ['filter', (value) => typeof value === 'string' && templateFilters.has(value)],
  ['test', (value) => typeof value === 'string' && templateTests.has(value)],
  ['in', (value, argument) => contains(argument, value)],
  ['sameas', (value, argument) => defined(value) === argument],
  ...['eq', 'equalto', '=='].map((name): [string, Test] => [
    name,
    (value, argument) => templateEqual(value, argument),
  ]),
  ...['ne', '!='].map((name): [string, Test] => [name, (value, argument) => !templateEqual(value, argument)]),
  ...['lt', 'lessthan', '<'].map((name): [string, Test] => [
    name,
    (value, argument) => templateOrder(value, argument) < 0,
  ]),
  ...['le', '<='].map((name): [string, Test] => [
    name,
    (value, argument) => templateOrder(value, argument) <= 0,
  ]),
  ...['gt', 'greaterthan', '>'].map((name): [string, Test] => [
    name,
    (value, argument) => templateOrder(value, argument) > 0,
  ]),
  ...['ge', '>='].map((name): [string, Test] => [
    name,
    (value, argument) => templateOrder(value, argument) >= 0,
  ]),
]);
