import { useQuery } from '@tanstack/react-query';
import { AccountsView } from './accounts-view.tsx';
import { DriftView } from './drift-view.tsx';
import { ImportsView } from './imports-view.tsx';
import { billsQuery } from './queries.ts';
import { RequestsView } from './requests-view.tsx';
import type { BillsScreenProps } from './view-picker.tsx';

/** Bills of providers against the log. Without an account: how to get bills, and how to begin. */
export function BillsScreen({ search, onSearch }: BillsScreenProps) {
  const query = useQuery(billsQuery);
  const view = query.data?.accounts.length === 0 ? 'accounts' : (search.view ?? 'drift');
  const shared = { search, onSearch, query };
  if (view === 'accounts') return <AccountsView {...shared} />;
  if (view === 'imports') return <ImportsView {...shared} />;
  return view === 'requests' ? <RequestsView {...shared} /> : <DriftView {...shared} />;
}
