import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { AccountKey } from '../../../src-preload/contract/account.ts'
import { inSc, showCount, showSc } from '../../i18n/format.ts'
import { CopyButton } from '../../shared/ui/CopyButton.tsx'
import { KeyValue } from '../../shared/ui/KeyValue.tsx'
import { WithSc } from '../../shared/ui/WithSc.tsx'
import { useStamp } from './timestamp.ts'

/** All fields of the key's record, and its totals. Null fields have a text: not set, never, not reported. */
export function Facts({ shown }: { shown: AccountKey }) {
  const { t } = useTranslation('keys')
  const stamp = useStamp()
  const { totals } = shown
  const row = (id: FactName, value: ReactNode, none: string) => {
    const reported = value !== null && value !== ''
    return { id, name: t(id), value: reported ? value : none, quiet: !reported }
  }
  const when = (written: string | null) => (written === null ? null : stamp(written))
  const count = (value: number | null) => (value === null ? null : showCount(value))
  return (
    <div className="grid items-start gap-6 min-[900px]:grid-cols-3">
      <Part title={t('facts')}>
        <KeyValue
          rows={[
            row('name', shown.name, t('unnamed')),
            row(
              'begins',
              shown.prefix && (
                <code dir="ltr" className="font-mono">
                  {shown.prefix}…
                </code>
              ),
              t('notReported'),
            ),
            row('id', <Id id={shown.id} />, ''),
            row('created', when(shown.createdAt), t('notReported')),
            row('lastUsed', when(shown.lastUsedAt), t('never')),
            row('revokedName', when(shown.revokedAt), t('notRevoked')),
          ]}
        />
      </Part>
      <Part title={t('limits')}>
        <KeyValue
          rows={[
            row('rpm', count(shown.rpm), t('unset')),
            row('tpm', count(shown.tpm), t('unset')),
            row('concurrent', count(shown.concurrent), t('unset')),
            // For a key without its own balance, the service reports meaningless zeros.
            ...(shown.balanceEnabled === false
              ? [row('balance', null, t('balanceOff'))]
              : [
                  row('balance', shown.balance && <WithSc text={inSc(showSc(shown.balance))} />, t('notReported')),
                  row('balanceLimit', shown.balanceLimit && inSc(showSc(shown.balanceLimit)), t('unset')),
                ]),
          ]}
        />
      </Part>
      <Part title={t('totals')} note={totals === null ? t('totalsNone') : null}>
        {totals && (
          <KeyValue
            rows={[
              row('spent', totals.cost && <WithSc text={inSc(showSc(totals.cost))} />, t('notReported')),
              ...(['requests', 'tokensIn', 'tokensOut'] as const).map((name) =>
                row(name, totals[name] === null ? null : showCount(totals[name]), t('notReported')),
              ),
            ]}
          />
        )}
      </Part>
    </div>
  )
}

type FactName =
  | ('name' | 'begins' | 'id' | 'created' | 'lastUsed' | 'revokedName')
  | ('rpm' | 'tpm' | 'concurrent' | 'balance' | 'balanceLimit')
  | ('spent' | 'requests' | 'tokensIn' | 'tokensOut')

function Id({ id }: { id: string }) {
  const { t } = useTranslation('keys')
  return (
    <span className="flex min-w-0 items-center justify-end gap-1">
      <code dir="ltr" className="truncate font-mono" title={id}>
        {id}
      </code>
      <CopyButton size="small" text={id} name={t('copyId')} />
    </span>
  )
}

function Part({ title, note = null, children }: { title: string; note?: string | null; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <section aria-label={title}>
        <h2 className="mb-2.5 font-semibold">{title}</h2>
        {children}
        {note && <p className="mt-2 text-faint text-s">{note}</p>}
      </section>
    </div>
  )
}
