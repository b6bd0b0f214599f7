// `x-tidegate-cost`: what a whole response was charged, in US dollars. A stream's charge is known after its headers: its receipt has it.
import { decimalOf, decimalText, quotient } from '#shared/decimal.ts';
import type { AppContext } from '#server/context.ts';
import type { CallStage, StageRun } from '#server/call/stages.ts';
import type { ChargeRow } from '#server/money/settlement/settled-call.ts';

export function costHeaderStage({ settings }: Pick<AppContext, 'settings'>): CallStage {
  return {
    name: 'cost-header',
    applies: ({ kind }) => settings.get('CostHeaderEnabled') && !kind.isCount,
    open: () => new ReportedCost(settings.get('QuotaPerUnit')),
  };
}

class ReportedCost implements StageRun {
  readonly #quotaPerUnit: number;
  #quota: number | undefined;

  constructor(quotaPerUnit: number) {
    this.#quotaPerUnit = quotaPerUnit;
  }

  settling({ quota }: ChargeRow): void {
    this.#quota = quota;
  }

  headers(): Readonly<Record<string, string>> {
    if (this.#quota === undefined) return {};
    return { 'x-tidegate-cost': decimalText(decimalOf(quotient(decimalOf(this.#quota), decimalOf(this.#quotaPerUnit)))) };
  }
}
