import { dirname, join } from 'node:path';
import { brokenJson, foundInstead } from '../control-api/node/file-kind.js';
import { scenarioFields } from '../petstore/scenario-schema.js';
import { withPresentNames } from '../scenario/ban-schema.js';
import { isHeaderValue } from '../scenario/fault-schema.js';
import { readYaml, type YamlText } from '../scenario/read-yaml.js';
import { type Issue, issueAt, type Step } from '../validation/issue.js';
import { nearest } from '../validation/nearest.js';
import { isMap, merge } from '../values/plain-data.js';
import { findInside, readTextFile } from './read-text-file.js';
import type { Shipped } from './shipped-scenarios.js';

/** One file in a chain of scenario files, of which each extends the next. */
interface Layer {
  /** Path of a scenario file or pets file, as the user wrote it. */
  file: string;
  text: YamlText;
  /** File with the pets, if the scenario contains `pets: { file }`. */
  pets?: Layer;
  /** Content of the scenario file, including the pets of `pets: { file }`. */
  value: unknown;
}

/** Scenario file after the merge with the files that it extends. */
export interface LayeredScenario {
  value: unknown;
  /** All files from which the scenario was read. `--watch` checks them for changes. */
  files: string[];
  issues: Issue[];
  /** Whether `value` is a scenario to check, instead of an empty file or an exported state. */
  isReadable: boolean;
  /** Adds the source file, line and column to a mistake in the scenario. */
  locate(issue: Issue): Issue;
}

/** Reads a scenario file, the files that it extends, and the pets of `pets: { file }`. */
export function readLayers(file: string, shipped: Shipped): LayeredScenario {
  const issues: Issue[] = [];
  const layers: Layer[] = [];
  const files: string[] = [];
  const seen = new Set<string>();
  let hasOther = false;

  for (let next: { file: string } | undefined = { file }; next !== undefined; ) {
    const above = layers.at(-1);
    const found = readTextFile(next.file);
    files.push(next.file);
    const isCircle = 'realPath' in found && seen.has(found.realPath);
    if ('failure' in found || isCircle) {
      const failure =
        'failure' in found ? failureOf(next.file, found) : 'expected a file that does not extend this one';
      issues.push(above === undefined ? { ...issueAt([], failure), file } : extendsIssue(above, failure));
      break;
    }
    seen.add(found.realPath);
    const read = toLayer(next.file, found.text);
    const layer = { ...read, value: withPresentNames(read.value) };
    layers.push(layer);
    const other = otherKind(layer, found.text);
    if (other !== undefined) {
      hasOther = true;
      issues.push({
        ...issueAt([], `expected fields of a scenario, got ${other}`),
        file: layer.file,
        ...layer.text.position([]),
      });
      break;
    }
    issues.push(...textIssues(layer), ...checkLayer(layer, above), ...readPets(layer));
    if (layer.pets !== undefined) files.push(layer.pets.file);
    const base = (layer.value as { extends?: unknown } | null)?.extends;
    const target = typeof base === 'string' && base !== 'default' ? findBase(layer.file, base, shipped) : undefined;
    if (target !== undefined && 'failure' in target) issues.push(extendsIssue(layer, target.failure));
    next = target !== undefined && 'file' in target ? target : undefined;
  }
  return {
    value: layers.reduceRight<unknown>((base, { value }) => merge(withoutTitle(base), value), undefined),
    files,
    issues,
    isReadable: (layers[0]?.text.value ?? undefined) !== undefined && !hasOther,
    locate: (issue) => locate(layers, issue),
  };
}

/** Removes name, description and group, which a scenario does not inherit from the file that it extends. */
function withoutTitle(base: unknown): unknown {
  if (!isMap(base)) return base;
  const { name, description, group, ...others } = base;
  return others;
}

/** Formats the reason why a file cannot be read as a scenario, with the kind of the file if it is known. */
function failureOf(file: string, { failure }: { failure: string }): string {
  const found = foundInstead({ file }, ['scenario'], scenarioFields);
  return found === undefined ? failure : `expected fields of a scenario, got ${found}`;
}

/** Describes a file that is no scenario but of another known kind, such as an exported state or a HAR file. */
function otherKind({ text: { value } }: Layer, text: string): string | undefined {
  if (isMap(value) && Object.keys(value).every((name) => scenarioFields.includes(name))) return undefined;
  const content = typeof value === 'object' ? { value } : { text };
  return value === null ? undefined : foundInstead(content, ['scenario', 'broken', 'unknown'], scenarioFields);
}

/** Reports a scenario file that is empty, and a file named in `extends` that is not a map. */
function checkLayer({ file, text, value }: Layer, above: Layer | undefined): Issue[] {
  const isEmpty = value === null;
  if (!isEmpty && (above === undefined || value === undefined || isMap(value))) return [];
  const got = isEmpty ? 'an empty file' : Array.isArray(value) ? 'a list' : JSON.stringify(value);
  return [{ ...issueAt([], `expected fields of a scenario, got ${got}`), file, ...text.position([]) }];
}

function toLayer(file: string, text: string): Layer {
  const isJson = !/\.ya?ml$/.test(file) && /^\s*[{[]/.test(text);
  const yaml = readYaml(text, isJson ? undefined : isHeaderValue);
  return {
    file,
    text: isJson ? withJsonError(yaml, text) : yaml,
    value: yaml.value,
  };
}

/**
 * Replaces the YAML parser's error for malformed JSON by one in terms of JSON. The YAML parser reads all scenario files,
 * including JSON.
 */
function withJsonError(yaml: YamlText, text: string): YamlText {
  const [first] = yaml.issues;
  const broken = first?.steps.length === 0 ? brokenJson(text) : undefined;
  if (broken === undefined) return yaml;
  const { line, column, expected = 'the text breaks off here' } = broken;
  return { ...yaml, issues: [{ ...issueAt([], `expected valid JSON: ${expected}`), line, column }] };
}

/**
 * Creates the message about a scenario field that names an unusable file: `extends` or `pets.file`. Adds the field's
 * position in the scenario file.
 */
function issueIn(layer: Layer, steps: readonly Step[], failure: string, written: unknown): Issue {
  const issue = issueAt(steps, `${failure}, got ${JSON.stringify(written)}`);
  return { ...issue, ...locateIn(layer, issue) };
}

const extendsIssue = (layer: Layer, failure: string) =>
  issueIn(layer, ['extends'], failure, (layer.value as { extends: string }).extends);

const textIssues = ({ file, text }: Layer) => text.issues.map((issue) => ({ ...issue, file }));

/** Replaces `pets: { file }` in a scenario by the pets of that file. @returns the mistakes of the field and the file */
function readPets(layer: Layer): Issue[] {
  const written = (layer.value as { pets?: { file?: unknown } } | null)?.pets?.file;
  if (typeof written !== 'string') return [];
  const { pets: _, ...others } = layer.value as Record<string, unknown>;
  layer.value = others;
  const fail = (failure: string) => [issueIn(layer, ['pets', 'file'], failure, written)];
  const target = findInside(dirname(layer.file), written);
  if ('failure' in target) return fail(target.failure);
  const found = readTextFile(target.file);
  if ('failure' in found) return fail(found.failure);
  const pets = toLayer(target.file, found.text);
  if (pets.value !== undefined && !Array.isArray(pets.value)) return fail('expected a file with a list of pets');
  layer.pets = pets;
  if (pets.value !== undefined) layer.value = { ...others, pets: pets.value };
  return textIssues(pets);
}

/** Finds the file and position from which a value of the merged scenario comes. */
function locate(layers: readonly Layer[], issue: Issue): Issue {
  let owners = layers.map((layer) => ({ layer, value: layer.value }));
  for (const step of issue.steps) {
    const next = mergedOwners(owners).flatMap(({ layer, value }) =>
      has(value, step) ? [{ layer, value: value[step] }] : [],
    );
    if (next.length === 0) break;
    owners = next;
  }
  const [owner] = mergedOwners(owners);
  return owner === undefined ? issue : { ...issue, ...locateIn(owner.layer, issue) };
}

/**
 * Selects the scenario files whose values form a field's merged value, the extending file first. Only maps are merged,
 * so the selection ends before the first other value, but always contains the first file.
 */
function mergedOwners<Owner extends { value: unknown }>(owners: readonly Owner[]): readonly Owner[] {
  const end = owners.findIndex(({ value }) => !isMap(value));
  return end < 0 ? owners : owners.slice(0, Math.max(1, end));
}

function has(value: unknown, step: Step): value is Record<Step, unknown> {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, step);
}

function locateIn({ file, text, pets }: Layer, { steps, onName }: Issue): Pick<Issue, 'file' | 'line' | 'column'> {
  if (pets !== undefined && steps[0] === 'pets' && steps.length > 1) {
    return { file: pets.file, ...pets.text.position(steps.slice(1), onName) };
  }
  return { file, ...text.position(steps, onName) };
}

/** Finds the scenario file to which `extends` refers. */
function findBase(
  from: string,
  base: string,
  { folder, ending, names }: Shipped,
): { file: string } | { failure: string } {
  if (/^\.\.?\//.test(base)) {
    if (/\.(?:ya?ml|json)$/.test(base) && !base.includes('\0')) return { file: join(dirname(from), base) };
    return { failure: 'expected a file that ends in .yaml, .yml or .json' };
  }
  if (names.includes(base)) return { file: join(folder, `${base}${ending}`) };
  const meant = nearest(base, names) ?? (/^[^/\\].*\.(?:ya?ml|json)$/.test(base) ? `./${base}` : undefined);
  const hint = meant === undefined ? '' : ` (did you mean ${meant}?)`;
  return { failure: `expected a shipped scenario or a file such as ./base.yaml${hint}` };
}
