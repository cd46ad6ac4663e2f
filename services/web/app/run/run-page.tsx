import { useAnswer } from '../state/answer.ts';
import { Loaded, Page } from '../ui/page.tsx';

export default function RunPage(_: { readonly id: string; readonly query: string }) {
  const health = useAnswer<{ readonly status: string }>('/health');
  return (
    <Page title="Run">
      <Loaded of={health}>{(value) => <p>{value.status}</p>}</Loaded>
    </Page>
  );
}
