// Deployment names of models at hosts with deployments (Azure).

/** Removes dots, which deployment names did not allow at first, unless the channel's setting preserves them. */
export function deploymentOf(model: string, { preservesDots = false }: { preservesDots?: boolean }): string {
  return preservesDots ? model : model.replaceAll('.', '');
}
