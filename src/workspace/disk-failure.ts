import { WorkspaceError } from './workspace.ts';

/** Runs `act`; what the file system reports (no space, no permission, …) is thrown as a WorkspaceError. */
export async function reportingDisk<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof Error) || !('syscall' in error)) throw error;
    throw new WorkspaceError(`the disk of the workspaces failed: ${error.message}; look at its space and permissions`, {
      cause: error,
    });
  }
}
