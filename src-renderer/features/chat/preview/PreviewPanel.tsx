import { Copy, Download, ExternalLink, X } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import { HighlightedText } from '../../../shared/markdown/CodeBlock.tsx'
import { Markdown } from '../../../shared/markdown/Markdown.tsx'
import { Button, IconButton } from '../../../shared/ui/Button.tsx'
import { Dialog } from '../../../shared/ui/Dialog.tsx'
import { Segmented } from '../../../shared/ui/Segmented.tsx'
import { Select } from '../../../shared/ui/Select.tsx'
import { useChat } from '../../../stores/chat.ts'
import { type PreviewTarget, type PreviewView, usePreview } from '../../../stores/preview.ts'
import { copyText } from '../actions.ts'
import { useChatTranslate } from '../messages.ts'
import { closePreview, openInBrowser, runPage, saveVersion, showVersion } from './actions.ts'
import { ChangesView } from './ChangesView.tsx'
import { CsvView } from './CsvView.tsx'
import { DocumentView } from './DocumentView.tsx'
import { maxDocumentChars } from './frame.ts'
import { JsonView } from './JsonView.tsx'
import { fileKinds, fileNameOf } from './kinds.ts'
import { MermaidView } from './MermaidView.tsx'
import { usePreviewTexts } from './texts.ts'
import { artifactFor, type PreviewVersion, type ShownArtifact } from './versions.ts'

/** The block of a reply that the person opened, beside the chat. */
export function PreviewPanel({ target }: { target: PreviewTarget }) {
  const t = usePreviewTexts()
  const chat = useChat((state) => state.open)
  const shown = chat?.id === target.conversationId ? artifactFor(chat, target) : null
  const version = shown?.versions[shown.at]
  const close = (event: KeyboardEvent): void => {
    // A dialog above the panel closes first.
    if (event.key !== 'Escape' || document.querySelector('dialog[open]')) return
    // Elsewhere Escape stops the reply.
    event.stopPropagation()
    event.nativeEvent.stopImmediatePropagation()
    closePreview()
  }
  return (
    <section className="chat-preview" aria-label={t('region')} onKeyDown={close}>
      {shown && version ? (
        <Artifact shown={shown} version={version} />
      ) : (
        <>
          <header className="chat-preview-head">
            <h2 className="chat-preview-title" tabIndex={-1}>
              {t('region')}
            </h2>
            <IconButton icon={X} label={t('close')} onClick={closePreview} />
          </header>
          {chat?.state === 'live' && <p className="chat-preview-note">{t('gone')}</p>}
        </>
      )}
    </section>
  )
}

function Artifact({ shown: { versions, at }, version }: { shown: ShownArtifact; version: PreviewVersion }) {
  const t = usePreviewTexts()
  const chosen = usePreview((state) => state.view)
  const [copied, setCopied] = useState(false)
  const [asking, setAsking] = useState(false)
  const { kind, title, text, open } = version
  const before = versions[at - 1]
  const view = chosen === 'changes' && !before ? 'preview' : chosen
  const copy = async (): Promise<void> => {
    if (!(await copyText(text))) return
    setCopied(true)
    setTimeout(() => setCopied(false), 1_500)
  }
  const segments = [
    { value: 'preview' as const, label: t('viewPreview') },
    { value: 'code' as const, label: t('viewCode') },
    ...(before ? [{ value: 'changes' as const, label: t('viewChanges') }] : []),
  ]
  return (
    <>
      <header className="chat-preview-head">
        <h2 className="chat-preview-title" tabIndex={-1} dir="auto" title={title || undefined}>
          {title || t(`kinds.${kind}`)}
        </h2>
        {open && <span className="chat-preview-writing">{t('writing')}</span>}
        <IconButton icon={Copy} label={copied ? t('copied') : t('copy')} onClick={() => void copy()} />
        <IconButton
          icon={Download}
          label={t('save', { name: fileNameOf(kind, title) })}
          onClick={() => saveVersion(version)}
        />
        {(kind === 'html' || kind === 'svg') && (
          <IconButton icon={ExternalLink} label={t('openInBrowser')} disabled={open} onClick={() => setAsking(true)} />
        )}
        <IconButton icon={X} label={t('close')} onClick={closePreview} />
      </header>
      <div className="chat-preview-tools">
        <Segmented<PreviewView>
          label={t('view')}
          value={view}
          segments={segments}
          onChange={(picked) => usePreview.setState({ view: picked })}
        />
        {versions.length > 1 && (
          <Select
            label={t('version')}
            value={String(at)}
            choices={versions.map((_, nth) => ({
              value: String(nth),
              label: t('versionOf', { at: nth + 1, all: versions.length }),
            }))}
            onPick={(picked) => showVersion(versions, Number(picked))}
          />
        )}
      </div>
      <div className="chat-preview-body" data-view={view}>
        {view === 'preview' && (
          <Rendered
            key={`${version.messageId}${version.index}`}
            version={version}
            run={() => void runPage(version, () => setAsking(true))}
          />
        )}
        {view === 'code' && <Code text={text} language={fileKinds[kind].language} />}
        {view === 'changes' && before && <ChangesView before={before.text} after={text} number={at} />}
      </div>
      <BrowserDialog
        open={asking}
        onClose={() => setAsking(false)}
        onConfirm={() => {
          setAsking(false)
          void openInBrowser(version)
        }}
      />
    </>
  )
}

function Rendered({ version: { kind, text, title, open }, run }: { version: PreviewVersion; run: () => void }) {
  const t = usePreviewTexts()
  if (kind === 'html' || kind === 'svg') return <DocumentView {...{ kind, text, title, open, run }} />
  if (kind === 'csv') return <CsvView text={text} title={title} />
  if (kind === 'json') return <JsonView text={text} open={open} />
  if (kind === 'mermaid') return <MermaidView text={text} open={open} />
  if (text.length > maxDocumentChars)
    return <p className="chat-preview-note">{t('tooLong', { most: maxDocumentChars })}</p>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard (WCAG 2.1.1)
    <section className="chat-preview-markdown" aria-label={title || t('kinds.markdown')} tabIndex={0}>
      <Markdown text={text} growing={open} />
    </section>
  )
}

function Code({ text, language }: { text: string; language: string }) {
  const t = usePreviewTexts()
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard (WCAG 2.1.1)
    <section className="chat-preview-code" aria-label={t('viewCode')} tabIndex={0} dir="ltr">
      <pre>
        <code>
          <HighlightedText text={text} language={language} />
        </code>
      </pre>
    </section>
  )
}

/** Says what a page may do in the browser, before it is opened there. */
function BrowserDialog(props: { open: boolean; onClose: () => void; onConfirm: () => void }) {
  const t = usePreviewTexts()
  const chatText = useChatTranslate()
  return (
    <Dialog
      open={props.open}
      alert
      onClose={props.onClose}
      title={t('browserTitle')}
      about={t('browserAbout')}
      footer={
        <>
          <Button onClick={props.onClose}>{chatText('cancel')}</Button>
          <Button variant="primary" icon={ExternalLink} onClick={props.onConfirm}>
            {t('browserConfirm')}
          </Button>
        </>
      }
    />
  )
}
