import { closeSync, fstatSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, sep } from 'node:path';
import { merge } from '../scenario/merge.js';
import { nearest } from '../scenario/nearest.js';
import { type Problem, problemAt, type Step } from '../scenario/scenario-error.js';
import { readYaml, type YamlText } from './read-yaml.js';

/** Largest file; a scenario with more animals than that holds generates them. */
const maximumBytes = 1024 * 1024;

/** One file of the chain that `extends` makes. */
interface Layer {
  /** As the person would name it. */
  file: string;
  text: YamlText;
  /** The file that `pets: { file }` names, read. */
  pets?: Layer;
  /** What the file says, with the animals of that file in place. */
  value: unknown;
}

/** Where shipped scenarios are: `folder` with one file a scenario, `NAME` and then `ending`. */
export interface Shipped {
  folder: string;
  ending: string;
  names: readonly string[];
}

/** What a scenario file says together with the files that it starts from. */
export interface LayeredScenario {
  value: unknown;
  /** Every file that took part, for whoever watches them. */
  files: string[];
  problems: Problem[];
  /** Whether a file could not be read at all, so that `value` tells only half. */
  isPartial: boolean;
  /** The problem with the file, line and column that it comes from. */
  locate(problem: Problem): Problem;
}

/** Reads a scenario file, the files it starts from by `extends`, and the animals of `pets: { file }`. */
export function readLayers(file: string, shipped: Shipped): LayeredScenario {
  const problems: Problem[] = [];
  const layers: Layer[] = [];
  const files: string[] = [];
  let isPartial = false;

  /** @param named where the file is named, for what is wrong with the naming */
  const add = (name: string, named: (message: string) => void, chain: readonly string[]): void => {
    const read = readText(name);
    files.push(name);
    if ('failure' in read) {
      isPartial = true;
      return named(read.failure);
    }
    if (chain.includes(read.realPath)) return named('expected a file that does not start from this one');
    const layer = toLayer(name, read.text);
    layers.push(layer);
    const here = (problem: Problem): Problem => ({ ...locateIn(layer, problem), ...problem, file: name });
    problems.push(...layer.text.problems.map(here));
    if (layer.text.value === undefined) isPartial = true;
    if (layer.text.value === null)
      problems.push(here(problemAt([], 'expected fields of a scenario, got an empty file')));
    addPets(layer);
    const base = (layer.value as { extends?: unknown } | null)?.extends;
    if (typeof base !== 'string' || base === 'default') return;
    const complain = (message: string) => problems.push(here(problemAt(['extends'], message)));
    const target = findBase(name, base, shipped);
    if ('failure' in target) complain(target.failure);
    else add(target.file, (message) => complain(`${message}, got ${JSON.stringify(base)}`), [...chain, read.realPath]);
  };

  const addPets = (layer: Layer): void => {
    const written = (layer.value as { pets?: { file?: unknown } } | null)?.pets?.file;
    if (typeof written !== 'string') return;
    const { pets: _, ...others } = layer.value as Record<string, unknown>;
    layer.value = others;
    const complain = (message: string) => {
      const problem = problemAt(['pets', 'file'], `${message}, got ${JSON.stringify(written)}`);
      problems.push({ ...problem, ...layer.text.position(problem.steps), file: layer.file });
    };
    const target = findInside(dirname(layer.file), written);
    const read = 'failure' in target ? target : readText(target.file);
    if ('failure' in read) return complain(read.failure);
    const pets = toLayer((target as { file: string }).file, read.text);
    files.push(pets.file);
    problems.push(...pets.text.problems.map((problem) => ({ ...problem, file: pets.file })));
    if (pets.text.value === undefined) return;
    if (!Array.isArray(pets.value)) return complain('expected a file with a list of animals');
    layer.pets = pets;
    layer.value = { ...others, pets: pets.value };
  };

  add(file, (message) => problems.push({ ...problemAt([], message), file }), []);
  return {
    value: layers.reduceRight<unknown>((base, { value }) => merge(base, value), undefined),
    files,
    problems,
    isPartial,
    locate: (problem) => locate(layers, problem),
  };
}

const toLayer = (file: string, text: string): Layer => {
  const read = readYaml(text);
  return { file, text: read, value: read.value };
};

/** Finds the file that a value of the merged scenario comes from, by the rule of `merge`. */
function locate(layers: readonly Layer[], problem: Problem): Problem {
  let owners = layers.map((layer) => ({ layer, value: layer.value }));
  for (const step of problem.steps) {
    const next = visible(owners).flatMap(({ layer, value }) =>
      has(value, step) ? [{ layer, value: value[step] }] : [],
    );
    if (next.length === 0) break;
    owners = next;
  }
  const [owner] = visible(owners);
  return owner === undefined ? problem : { ...problem, ...locateIn(owner.layer, problem) };
}

/** Of the values that files give to one field, top first: all down to the first that is no map, and hides what is below. */
function visible<Owner extends { value: unknown }>(owners: readonly Owner[]): readonly Owner[] {
  const end = owners.findIndex(({ value }) => !isMap(value));
  return end < 0 ? owners : owners.slice(0, Math.max(1, end));
}

const isMap = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

function has(value: unknown, step: Step): value is Record<Step, unknown> {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, step);
}

function locateIn({ file, text, pets }: Layer, { steps, onName }: Problem): Pick<Problem, 'file' | 'line' | 'column'> {
  if (pets !== undefined && steps[0] === 'pets' && steps.length > 1) {
    return { file: pets.file, ...pets.text.position(steps.slice(1), onName) };
  }
  return { file, ...text.position(steps, onName) };
}

/** The file that `extends` means. */
function findBase(
  from: string,
  base: string,
  { folder, ending, names }: Shipped,
): { file: string } | { failure: string } {
  if (/^\.\.?\//.test(base)) {
    if (/\.(?:ya?ml|json)$/.test(base) && !base.includes('\0')) return { file: join(dirname(from), base) };
    return { failure: `expected a file that ends in .yaml, .yml or .json, got ${JSON.stringify(base)}` };
  }
  if (names.includes(base)) return { file: join(folder, `${base}${ending}`) };
  const meant = nearest(base, names) ?? (/\.(?:ya?ml|json)$/.test(base) ? `./${base}` : undefined);
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
  return { failure: `expected a shipped scenario or a file such as ./base.yaml, got ${JSON.stringify(base)}${hint}` };
}

/** A file under a folder, by the name that a scenario gives it: whatever the name, nothing outside is ever opened. */
function findInside(folder: string, written: string): { file: string } | { failure: string } {
  const failure = "expected a file under the scenario's own folder";
  const isPlain = written !== '' && !/[\\\0]|^[a-z]+:/i.test(written) && !isAbsolute(written);
  if (!isPlain || written.split('/').includes('..')) return { failure };
  const file = join(folder, written);
  try {
    if (realpathSync(file).startsWith(`${realpathSync(folder).replace(/\/$/, '')}${sep}`)) return { file };
  } catch {
    return { failure: "expected a file that exists, under the scenario's own folder" };
  }
  return { failure };
}

/** @returns why the file cannot be a scenario, where it cannot */
function readText(file: string): { text: string; realPath: string } | { failure: string } {
  try {
    // Asked before opening, because opening a pipe waits for whoever writes to it.
    if (!statSync(file).isFile()) return { failure: 'expected a file' };
    const bytes = readAtMost(file, maximumBytes + 1);
    if (bytes.length > maximumBytes) return { failure: 'expected a file of at most 1 MiB' };
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), realPath: realpathSync(file) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return { failure: 'expected a file of UTF-8 text' };
    if (code === 'ENOENT' || code === 'ENOTDIR') return { failure: 'expected a file that exists' };
    if (code === 'EACCES') return { failure: 'expected a file that can be read' };
    throw error;
  }
}

function readAtMost(file: string, bytes: number): Uint8Array {
  const descriptor = openSync(file, 'r');
  try {
    const buffer = new Uint8Array(Math.min(bytes, fstatSync(descriptor).size));
    let length = 0;
    for (let read = -1; read !== 0 && length < buffer.length; length += read) {
      read = readSync(descriptor, buffer, length, buffer.length - length, null);
    }
    return buffer.subarray(0, length);
  } finally {
    closeSync(descriptor);
  }
}
