/** The step that the tests commit. */
export const step = { run: 'r1', message: () => 'feat: a step\n\nPlanwright-Phase: implement\n', remove: [] } as const;
