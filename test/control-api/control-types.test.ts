import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, expectTypeOf, test } from 'vitest';
import type { SandboxControl } from '../../src/control-api/control.js';
import type { ControlOperation } from '../../src/control-api/control-operation.js';
import type { Control } from '../../src/entries/control.js';
import { controlOperations, sandboxOperations } from '../../src/petstore/served-petstore.js';
import type { AnySchema, Input } from '../../src/validation/schema.js';

/** Input and result of each operation of a table. */
type InTable<Table> = {
  // biome-ignore lint/suspicious/noExplicitAny: target and items differ from one operation to the next
  [Name in keyof Table]: Table[Name] extends ControlOperation<any, infer In extends AnySchema, any, infer Result>
    ? { input: Partial<Input<In>> extends Input<In> ? [(Input<In> | undefined)?] : [Input<In>]; result: Result }
    : never;
};

/** Input and result of each function. */
type Declared<Functions> = {
  [Name in keyof Functions]: Functions[Name] extends (...input: infer In) => infer Result
    ? { input: In; result: Result }
    : never;
};

/** A type with optional fields as required ones, which only then are part of a comparison by assignment. */
type Strict<Type> = Type extends (infer Item)[]
  ? Strict<Item>[]
  : Type extends object
    ? {
        [Name in keyof Required<Type>]: {
          is: Strict<Type[Name]>;
          optional: Omit<Type, Name> extends Type ? true : false;
        };
      }
    : Type;

/** Names of the functions whose input or result differs in two tables, also by an optional field. */
type Differing<One, Other> = {
  [Name in keyof One | keyof Other]: Name extends keyof One & keyof Other
    ? [Strict<One[Name]>, Strict<Other[Name]>] extends [Strict<Other[Name]>, Strict<One[Name]>]
      ? never
      : Name
    : Name;
}[keyof One | keyof Other];

test('the declared functions are those of the tables, with the same inputs and results', () => {
  expectTypeOf<never>().toEqualTypeOf<Differing<Declared<Control>, InTable<typeof controlOperations>>>();
  expectTypeOf<never>().toEqualTypeOf<Differing<Declared<SandboxControl>, InTable<typeof sandboxOperations>>>();
});

test('each declared function has the summary of its operation as its comment', () => {
  const text = readFileSync(join(import.meta.dirname, '../../src/control-api/control.ts'), 'utf8');
  const comments = [...text.matchAll(/^ {2}\/\*\*((?:(?!\*\/).)*)\*\/\n {2}(\w+)\(/gms)].map(
    ([, comment = '', name]) => [name, comment.replace(/\s+(?:\* )?/g, ' ').trim()],
  );
  const summaries = Object.entries({ ...controlOperations, ...sandboxOperations }).map(([name, { summary }]) => [
    name,
    `${summary}.`,
  ]);
  // `sandbox` is no operation.
  expect(Object.fromEntries(comments.filter(([name]) => name !== 'sandbox'))).toEqual(Object.fromEntries(summaries));
});
