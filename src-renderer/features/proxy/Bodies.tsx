import { Maximize2 } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { LoggedBody, RequestDetail } from '../../../src-preload/contract/requests.ts'
import { showSize } from '../../i18n/format.ts'
import { IconButton } from '../../shared/ui/Button.tsx'
import { CopyButton } from '../../shared/ui/CopyButton.tsx'
import { cx } from '../../shared/ui/cx.ts'
import { Dialog } from '../../shared/ui/Dialog.tsx'
import { InspectorSection } from '../../shared/ui/InspectorSection.tsx'
import { useApps } from '../../stores/apps.ts'
import { isOpen } from '../../stores/requests.ts'
import { readable } from './bodies.ts'

type Which = 'request' | 'reply'

export function Bodies({ detail }: { detail: RequestDetail }) {
  const { t } = useTranslation('proxy')
  const { requestBody, replyBody, row } = detail
  const apps = useApps()
  const logs = apps?.find(({ id }) => row.who.kind === 'app' && id === row.who.id)?.logBodies ?? false
  const none = logs ? (isOpen(row) ? 'later' : 'noneStudio') : row.who.kind === 'app' ? 'none' : 'noneStudio'
  if (row.who.kind === 'stranger') return null
  return (
    <InspectorSection title={t('detail.body.title')}>
      {requestBody || replyBody ? (
        <div className="flex flex-col gap-3">
          {requestBody && <Body which="request" body={requestBody} />}
          {replyBody && <Body which="reply" body={replyBody} />}
        </div>
      ) : (
        <p className="text-soft">{t(`detail.body.${none}`)}</p>
      )}
    </InspectorSection>
  )
}

const encoder = new TextEncoder()

function Body({ which, body }: { which: Which; body: LoggedBody }) {
  const { t } = useTranslation('proxy')
  const [large, setLarge] = useState(false)
  const shown = readable(body)
  const name = t(`detail.body.which.${which}`)
  const size = body.capped
    ? t('detail.body.capped', {
        shown: showSize(encoder.encode(body.text ?? '').length),
        bytes: showSize(body.bytes),
      })
    : t('detail.body.whole', { bytes: showSize(body.bytes) })
  return (
    <div className="min-w-0">
      <div className="flex items-center gap-1">
        <h3 className="font-[540]">{t(`detail.body.${which}`)}</h3>
        <span className="num ms-1 min-w-0 flex-1 truncate text-faint">{shown && !body.capped && size}</span>
        {shown && (
          <>
            <CopyButton size="small" text={shown.text} name={t('detail.body.copy', { which: name })} />
            <IconButton
              icon={Maximize2}
              size="small"
              label={t('detail.body.enlarge', { which: name })}
              onClick={() => setLarge(true)}
            />
          </>
        )}
      </div>
      {shown && body.capped && <p className="num text-warn">{size}</p>}
      {shown ? (
        <Text text={shown.text} label={t(`detail.body.largeTitle.${which}`)} className="max-h-52" />
      ) : (
        <p className="text-soft">{t('detail.body.notText', { bytes: showSize(body.bytes) })}</p>
      )}
      {shown && (
        <Dialog
          open={large}
          onClose={() => setLarge(false)}
          width="wide"
          title={t(`detail.body.largeTitle.${which}`)}
          about={size}
        >
          <Text text={shown.text} label={t(`detail.body.largeTitle.${which}`)} className="max-h-[calc(100vh-180px)]" />
        </Dialog>
      )}
    </div>
  )
}

function Text({ text, label, className }: { text: string; label: string; className: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard (WCAG 2.1.1)
    <section tabIndex={0} aria-label={label} className={cx('mt-1 overflow-auto rounded-m bg-hover p-2.5', className)}>
      <pre className="whitespace-pre-wrap break-words font-mono text-s leading-[1.55]">{text}</pre>
    </section>
  )
}

export function Headers({ detail }: { detail: RequestDetail }) {
  const { t } = useTranslation('proxy')
  const { requestHeaders, replyHeaders, row } = detail
  if (row.who.kind === 'stranger' && !requestHeaders) return null
  const kept = requestHeaders !== null || replyHeaders !== null
  return (
    <InspectorSection
      title={t('detail.headers.title')}
      aside={kept && <span className="text-faint">{t('detail.headers.about')}</span>}
    >
      {kept ? (
        <div className="flex flex-col gap-1">
          {requestHeaders && <HeaderList name={t('detail.headers.request')} headers={requestHeaders} />}
          {replyHeaders && <HeaderList name={t('detail.headers.reply')} headers={replyHeaders} />}
        </div>
      ) : (
        <p className="text-soft">{t('detail.headers.none')}</p>
      )}
    </InspectorSection>
  )
}

function HeaderList({ name, headers }: { name: string; headers: [string, string][] }) {
  return (
    <details>
      <summary className="w-fit rounded-s pe-1 font-[520]">
        {name} <span className="num font-normal text-faint">{headers.length}</span>
      </summary>
      <dl className="mt-1 mb-1.5 flex flex-col gap-0.5 font-mono text-s">
        {headers.map(([header, value], at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a header may occur twice, and the order of the list never changes
          <div key={at} className="break-all">
            <dt className="inline text-soft">{header}: </dt>
            <dd className="inline">{value}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}
