/** Environment variable that is 1 for pushes by an app that may not write workflows. */
export const NO_WORKFLOWS_VARIABLE = 'FORGE_NO_WORKFLOWS';

/** Environment variable with the file that takes what a push has changed: `BEFORE AFTER REF` lines. */
export const PUSH_LOG_VARIABLE = 'FORGE_PUSH_LOG';

/** Every repository's hooks, by name. `pre-receive` refuses in GitHub's words what a token without `workflows: write` may not push. */
export const GIT_HOOKS = {
  'pre-receive': `#!/bin/sh
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
`,
  'post-receive': `#!/bin/sh
[ -z "$${PUSH_LOG_VARIABLE}" ] || exec cat > "$${PUSH_LOG_VARIABLE}"
`,
} as const;
