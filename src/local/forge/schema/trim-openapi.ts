/**
 * Cuts GitHub's official OpenAPI description down to the operations that the forge serves, with all that they refer to.
 *
 *     node src/local/forge/schema/trim-openapi.ts DESCRIPTION.json
 *
 * DESCRIPTION.json is `generated/ghes-3.19.json` of the npm package @octokit/openapi (MIT). Prose and examples go;
 * `nullable`, which JSON Schema validators read more narrowly than GitHub means it, is spelled out.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { OPERATION_IDS } from '../rest/operation-ids.ts';

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type Fields = { readonly [key: string]: Json };

const PROSE = new Set(['description', 'summary', 'example', 'examples', 'externalDocs', 'tags', 'title', 'deprecated', 'headers', 'links', 'callbacks']);
const METHODS = new Set(['get', 'put', 'post', 'delete', 'patch']);
/**
 * Where the description contradicts what GitHub answers. Comments on whole files and on outdated lines have no line;
 * the account of a listed installation is a user or an enterprise, not both in one.
 */
const NULLABLE_PROPERTIES: Readonly<Record<string, readonly string[]>> = {
  'pull-request-review-comment': ['line', 'original_line', 'position'],
  'review-comment': ['line', 'original_line'],
};
const EITHER = 'apps/list-installations';

/** Under these keys the names are a document's own and not the description language's. */
const NAMED = new Set(['properties', 'schemas', 'parameters', 'responses', 'paths', 'content', 'patternProperties']);

function isFields(value: Json | undefined): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function fieldsOf(value: Json | undefined, what: string): Fields {
  if (isFields(value)) return value;
  throw new Error(`expected ${what} to be an object, got ${JSON.stringify(value)?.slice(0, 80)}`);
}

function withoutProse(value: Json, isNamed = false): Json {
  if (Array.isArray(value)) return value.map((each) => withoutProse(each));
  if (!isFields(value)) return value;
  const kept = Object.entries(value).filter(([key]) => isNamed || !(PROSE.has(key) || key.startsWith('x-')));
  const bare = Object.fromEntries(kept.map(([key, each]) => [key, withoutProse(each, !isNamed && NAMED.has(key))]));
  return isNamed ? bare : withNull(bare);
}

/** A nullable schema takes null, whatever its type and its enumeration say. */
function withNull(schema: Fields): Fields {
  if (schema.nullable !== true) return schema;
  const { nullable: _, ...rest } = schema;
  return { anyOf: [rest, { enum: [null] }] };
}

function withNullableProperties(schema: Json, names: readonly string[]): Json {
  const fields = fieldsOf(schema, 'a schema');
  if (names.length === 0) return fields;
  const properties = Object.entries(fieldsOf(fields.properties, 'properties')).map(([name, each]) => [
    name,
    names.includes(name) ? withNull({ ...fieldsOf(each, name), nullable: true }) : each,
  ]);
  return { ...fields, properties: Object.fromEntries(properties) };
}

/** Every `allOf` as an `anyOf`. */
function asAlternatives(value: Json): Json {
  if (Array.isArray(value)) return value.map(asAlternatives);
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key === 'allOf' ? 'anyOf' : key, asAlternatives(each)]),
  );
}

function references(value: Json): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(references);
  if (!isFields(value)) return [];
  const { $ref } = value;
  const own = typeof $ref === 'string' ? [$ref] : [];
  return [...own, ...Object.values(value).flatMap(references)];
}

function keptPaths(document: Fields): Fields {
  const wanted = new Set<string>(OPERATION_IDS);
  const paths: Record<string, Fields> = {};
  for (const [name, item] of Object.entries(fieldsOf(document.paths, 'paths'))) {
    const entries = Object.entries(fieldsOf(item, name)).filter(([method, operation]) => {
      const id = isFields(operation) ? operation.operationId : undefined;
      return METHODS.has(method) && typeof id === 'string' && wanted.delete(id);
    });
    if (entries.length === 0) continue;
    const bare = withoutProse(Object.fromEntries(entries), true);
    const isEither = entries.some(([, operation]) => isFields(operation) && operation.operationId === EITHER);
    paths[name] = fieldsOf(isEither ? asAlternatives(bare) : bare, name);
  }
  if (wanted.size > 0) throw new Error(`expected every operation in the description, got none for ${[...wanted].join(', ')}`);
  return paths;
}

/** Everything under `components` that is reached from the paths. */
function keptComponents(document: Fields, paths: Fields): Fields {
  const components = fieldsOf(document.components, 'components');
  const kept: Record<string, Record<string, Json>> = {};
  const waiting = [...references(paths)];
  for (let reference = waiting.pop(); reference !== undefined; reference = waiting.pop()) {
    const [, , section = '', name = ''] = reference.split('/');
    const found = fieldsOf(components[section], section)[name];
    const group = (kept[section] ??= {});
    if (found === undefined || name in group) continue;
    const bare = withNullableProperties(withoutProse(found), section === 'schemas' ? (NULLABLE_PROPERTIES[name] ?? []) : []);
    group[name] = bare;
    waiting.push(...references(bare));
  }
  return kept;
}

const [source] = process.argv.slice(2);
if (source === undefined) throw new Error('expected the path of the official description, got nothing; pass it as the argument');
const official: Json = JSON.parse(readFileSync(source, 'utf8'));
const document = fieldsOf(official, 'the description');
const paths = keptPaths(document);
const info = fieldsOf(document.info, 'info');
const trimmed = {
  openapi: document.openapi,
  info: { title: info.title, version: info.version, license: info.license },
  paths,
  components: keptComponents(document, paths),
};
writeFileSync(path.join(import.meta.dirname, 'openapi.json'), `${JSON.stringify(trimmed)}\n`);
