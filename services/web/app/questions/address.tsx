import { visibleUrl } from '@stopgo/core/visible';
import { Icon } from '../ui/icon.tsx';
import { Marked } from '../ui/text.tsx';

/** An address that somebody is to open: the whole of it, with the host apart, since that says whose it is. */
export function Address({ url }: { readonly url: string }) {
  const target = URL.canParse(url) ? new URL(url) : undefined;
  const canOpen = target !== undefined && /^https?:$/.test(target.protocol) && target.username === '';
  return (
    <div className="address">
      <p className="address-host">
        It leads to <strong>{target === undefined ? 'no address' : <Marked text={visibleUrl(target.host)} />}</strong>
        {target?.protocol === 'http:' ? ', over a connection that others can read' : ''}
      </p>
      <p className="address-whole">
        <Marked text={visibleUrl(url)} />
      </p>
      {canOpen ? (
        <a className="button primary" href={target.href} target="_blank" rel="noopener noreferrer">
          <Icon name="open" /> Open it in a new tab
        </a>
      ) : (
        <p className="problem">This address is not opened: it is none of the web.</p>
      )}
    </div>
  );
}
