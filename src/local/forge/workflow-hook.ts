/** Set to 1 for pushes by an app that may not write workflows. */
export const NO_WORKFLOWS_VARIABLE = 'FORGE_NO_WORKFLOWS';

/** A `pre-receive` hook that refuses, in GitHub's words, what a token without `workflows: write` may not push. */
export const WORKFLOW_HOOK = `#!/bin/sh
[ "\${${NO_WORKFLOWS_VARIABLE}:-0}" = 1 ] || exit 0
while read -r before after ref; do
  case "$after" in *[!0]*) ;; *) continue ;; esac
  file=$(git log --format= --name-only "$after" --not --all -- .github/workflows | head -n 1)
  if [ -n "$file" ]; then
    echo "refusing to allow a GitHub App to create or update workflow \\\`$file\\\` without \\\`workflows\\\` permission" >&2
    exit 1
  fi
done
exit 0
`;
