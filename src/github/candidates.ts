/** Finds threads that no webhook told of. */
import { z } from 'zod';
import { defaultConfig } from '../config/repository-config.ts';
import { askGraphql, type Client, type ClientOptions, createTokenClient } from './client.ts';
import type { GitHub, ThreadRef } from './github.ts';
import { isServed, type Minting } from './minting.ts';
import { readAnswer } from './observe-pages.ts';
import { statusLabelNames } from './observe-query.ts';
import type { Tokens } from './tokens.ts';

/** A repository's own label is in its configuration, which is read when the thread is. */
const triggerLabel = defaultConfig.trigger.label;
const repositoriesPerQuery = 20;

const issuePage = z.object({
  nodes: z.array(z.object({ number: z.number() })),
  pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() }),
});
const answer = z.record(z.string(), z.object({ issues: issuePage }).nullable());

/** @returns `GitHub.candidates`; what cannot be read of one installation is told to the log and left for the next time */
export function createCandidates(
  options: ClientOptions,
  app: Client,
  tokens: Tokens,
  reach: Pick<Minting, 'installations'>,
): GitHub['candidates'] {
  return async () => {
    const installations = await app.paginate(app.rest.apps.listInstallations, { per_page: 100 });
    const found: ThreadRef[] = [];
    for (const installation of installations) {
      if (installation.suspended_at !== null || !isServed(reach, installation.id)) continue;
      try {
        const threads = await tokens.lendToDiscover(installation.id, (token) =>
          findThreads(options, createTokenClient(options, token), installation.id),
        );
        found.push(...threads);
      } catch (error) {
        options.log.warn({ err: error, installation: installation.id }, 'an installation could not be searched');
      }
    }
    return found;
  };
}

type Repository = ThreadRef['repository'];

async function findThreads(options: ClientOptions, client: Client, installation: number): Promise<ThreadRef[]> {
  const listed = await client.paginate(client.rest.apps.listReposAccessibleToInstallation, { per_page: 100 });
  const repositories = listed
    .filter((repository) => !repository.archived && repository.has_issues !== false)
    .map(({ id, name, owner }) => ({ id, name, owner: owner.login }));
  const found: ThreadRef[] = [];
  for (let at = 0; at < repositories.length; at += repositoriesPerQuery) {
    const batch = repositories.slice(at, at + repositoriesPerQuery);
    found.push(...(await findIssues(options, client, installation, batch)));
  }
  return found;
}

interface Search {
  readonly repository: Repository;
  readonly after: string | null;
}

/** The open issues with one of the labels, of several repositories at a time, page after page. */
async function findIssues(
  options: ClientOptions,
  client: Client,
  installation: number,
  batch: readonly Repository[],
): Promise<ThreadRef[]> {
  const found: ThreadRef[] = [];
  let searches: readonly Search[] = batch.map((repository) => ({ repository, after: null }));
  while (searches.length > 0) {
    const { text, variables } = searchDocument(searches);
    const given = { text, variables, repeat: true };
    const data = readAnswer(answer, await askGraphql(client, options.environment.graphqlUrl, given), 'the issues');
    const next: Search[] = [];
    for (const [index, { repository }] of searches.entries()) {
      const page = data[`repository${index}`]?.issues;
      found.push(...(page?.nodes ?? []).map(({ number }) => ({ installation, repository, issue: number })));
      if (page?.pageInfo.hasNextPage === true && page.pageInfo.endCursor !== null) {
        next.push({ repository, after: page.pageInfo.endCursor });
      }
    }
    searches = next;
  }
  return found;
}

function searchDocument(searches: readonly Search[]) {
  const parameters = searches.map(
    (_, index) => `$owner${index}: String!, $name${index}: String!, $after${index}: String`,
  );
  const fields = searches.map(
    (_, index) => `  repository${index}: repository(owner: $owner${index}, name: $name${index}) {
    issues(first: 100, after: $after${index}, states: [OPEN], labels: $labels) {
      nodes { number } pageInfo { hasNextPage endCursor }
    }
  }`,
  );
  const values = searches.flatMap(({ repository, after }, index) => [
    [`owner${index}`, repository.owner],
    [`name${index}`, repository.name],
    [`after${index}`, after],
  ]);
  return {
    text: `query Candidates($labels: [String!]!, ${parameters.join(', ')}) {\n${fields.join('\n')}\n}`,
    variables: { labels: [triggerLabel, ...statusLabelNames], ...Object.fromEntries(values) },
  };
}
