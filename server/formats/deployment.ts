// What a model's deployment is called where models are deployed.

/** Without dots, which deployments once could not have. @param setting the channel's: its deployments have them */
export function deploymentOf(model: string, { preservesDots = false }: { preservesDots?: boolean }): string {
  return preservesDots ? model : model.replaceAll('.', '');
}
