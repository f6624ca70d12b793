/**
 * An object type with all its keys required. `satisfies Every<...>` makes the compiler name each copy, written field by
 * field for speed, that lacks a field, also an optional one.
 */
export type Every<Type> = { [Name in keyof Required<Type>]: Type[Name] };
