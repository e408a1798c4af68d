/** One entry of a 422's `errors`, in GitHub's shape. */
export interface FieldError {
  readonly resource: string;
  readonly field?: string;
  readonly code: string;
  readonly message?: string;
}

/** A refusal as GitHub words it. REST answers `status`; GraphQL answers 200 with an error of the matching type. */
export class ForgeError extends Error {
  override readonly name = 'ForgeError';
  readonly status: 401 | 403 | 404 | 405 | 409 | 410 | 422;
  readonly errors: readonly FieldError[];
  /** What a token would need, e.g. `issues=write; pull_requests=write`: the header `x-accepted-github-permissions`. */
  readonly acceptedPermissions: string | null;
  constructor(
    status: ForgeError['status'],
    message: string,
    details: { readonly errors?: readonly FieldError[]; readonly acceptedPermissions?: string } = {},
  ) {
    super(message);
    this.status = status;
    this.errors = details.errors ?? [];
    this.acceptedPermissions = details.acceptedPermissions ?? null;
  }
}

export function notFound(): ForgeError {
  return new ForgeError(404, 'Not Found');
}

/** GitHub's "Validation Failed" with one reason. */
export function invalid(resource: string, field: string, message: string): ForgeError {
  return new ForgeError(422, 'Validation Failed', { errors: [{ resource, field, code: 'custom', message }] });
}
