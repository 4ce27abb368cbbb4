import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Card } from '../../ui/Card.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { Segmented } from '../../ui/Segmented.tsx'
import { type SnippetKind, snippet, snippetKinds } from './snippets.ts'

/** Ready to paste, with the real address, and with a tool's key while that is known. */
export function Setup(props: {
  baseUrl: string | null
  model: string | null
  made: { name: string; key: string } | null
}) {
  const { t } = useTranslation('proxy')
  const [kind, setKind] = useState<SnippetKind>('env')
  const text = props.baseUrl
    ? snippet(kind, props.baseUrl, props.made?.key ?? t('setup.placeholder'), props.model ?? 'MODEL')
    : null
  return (
    <section aria-label={t('setup.title')}>
      <Card className="overflow-hidden">
        <header className="flex flex-wrap items-center gap-x-3 gap-y-2 border-line border-b px-4 py-2.5">
          <h2 className="font-semibold">{t('setup.title')}</h2>
          <span className="text-faint text-s">
            {props.made ? t('setup.aboutKey', { name: props.made.name }) : t('setup.about')}
          </span>
          <div className="ml-auto flex items-center gap-2">
            <Segmented
              label={t('setup.kind')}
              value={kind}
              onChange={setKind}
              segments={snippetKinds.map((value) => ({ value, label: t(`setup.${value}`) }))}
            />
            {text && <CopyButton text={text} name={t('setup.copy')} />}
          </div>
        </header>
        {text ? (
          <pre className="overflow-x-auto px-4 py-3 font-mono text-s leading-[1.65]">{text}</pre>
        ) : (
          <p className="px-4 py-6 text-center text-soft">{t('setup.noAddress')}</p>
        )}
      </Card>
    </section>
  )
}
