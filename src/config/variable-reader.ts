import { environmentVariables, type VariableName } from './environment-variables.ts';

/** What a process finds in its environment, by name. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** Reads one variable after the other and collects what is wrong with them. Blank variables count as not set. */
export interface VariableReader {
  /** `null` for a variable that is not set or blank; without blanks around it otherwise. */
  text(name: VariableName): string | null;
  /** Empty where the variable is missing, which is a problem. */
  required(name: VariableName): string;
  withDefault(name: VariableName): string;
  integer(name: VariableName, min: number, max: number): number;
  oneOf<T extends string>(name: VariableName, words: readonly [T, ...T[]]): T;
  /** An http(s) address without a trailing slash. */
  address(name: VariableName): string | null;
  /** Words with commas between them; none where the variable is not set. What is unclear is a problem as a whole. */
  list(name: VariableName, isFit: (word: string) => boolean, rule: string): readonly string[];
  problem(text: string): void;
}

/** @param problems where each problem found is added */
export function createVariableReader(env: Variables, problems: string[]): VariableReader {
  const problem = (text: string): void => {
    problems.push(text);
  };
  const text = (name: VariableName): string | null => env[name]?.trim() || null;
  const withDefault = (name: VariableName): string =>
    text(name) ?? environmentVariables.find((variable) => variable.name === name)?.default ?? '';
  return {
    text,
    withDefault,
    problem,
    required: (name) => {
      const value = text(name);
      if (value === null) problem(`${name}: expected a value, got none; set it`);
      return value ?? '';
    },
    integer: (name, min, max) => {
      const value = withDefault(name);
      const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
      if (number >= min && number <= max) return number;
      problem(`${name}: expected a whole number from ${min} to ${max}, got ${JSON.stringify(value)}`);
      return min;
    },
    oneOf: (name, words) => {
      const value = withDefault(name);
      const word = words.find((candidate) => candidate === value.toLowerCase());
      if (word === undefined) problem(`${name}: expected one of ${words.join(', ')}, got ${JSON.stringify(value)}`);
      return word ?? words[0];
    },
    address: (name) => {
      const value = text(name);
      if (value === null || isWebAddress(value)) return value?.replace(/\/+$/, '') ?? null;
      problem(`${name}: expected an http or https address without a user name in it, got something else`);
      return null;
    },
    list: (name, isFit, rule) => {
      const words =
        text(name)
          ?.split(',')
          .map((word) => word.trim()) ?? [];
      const unfit = words.filter((word) => !isFit(word)).map((word) => JSON.stringify(word.slice(0, 80)));
      if (unfit.length > 0) problem(`${name}: expected ${rule}, got ${unfit.join(', ')}; put commas between them`);
      return words;
    },
  };
}

function isWebAddress(value: string): boolean {
  const url = URL.canParse(value) ? new URL(value) : null;
  return (url?.protocol === 'http:' || url?.protocol === 'https:') && url.username === '' && url.password === '';
}
