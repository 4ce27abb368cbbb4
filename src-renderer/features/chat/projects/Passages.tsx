import './projects.css'
import { FileSearch, Quote, Undo2, X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { Passage } from '../../../../src-preload/contract/projects.ts'
import { Button } from '../../../shared/ui/Button.tsx'
import { Dialog } from '../../../shared/ui/Dialog.tsx'
import { WithSc } from '../../../shared/ui/WithSc.tsx'
import { newChat, useChat } from '../../../stores/chat.ts'
import { focusComposer } from '../focus.ts'
import { removePassage, useNextContext } from './context.ts'
import { sourceOf, usePassageDialogs } from './passageDialogs.ts'
import { forgetRemovedPassages, useRemovedPassages } from './removedPassages.ts'

/** Such as `3 passages from 2 files`. */
export function usePassageCount(): (passages: readonly Passage[]) => string {
  const { t } = useTranslation('projects')
  return (passages) => {
    const files = new Set(passages.map(({ mediaId }) => mediaId)).size
    return t('fromFiles', { count: files, passages: t('passages', { count: passages.length }) })
  }
}

/** A button that shows the passages of a message. @param isNext whether it is the message in the composer, whose passages can be removed */
export function PassageChip({ passages, isNext = false }: { passages: readonly Passage[]; isNext?: boolean }) {
  const { t } = useTranslation(['projects', 'documents'])
  const count = usePassageCount()
  const tokens = passages.reduce((sum, one) => sum + one.tokens, 0)
  return (
    <button
      type="button"
      className="chat-document-open"
      title={t('viewPassages')}
      onClick={() => usePassageDialogs.setState({ list: isNext ? 'next' : passages })}
    >
      <FileSearch aria-hidden />
      <span className="chat-file-words">
        <b>{count(passages)}</b>
        <span className="num">
          <WithSc text={t('documents:tokens', { count: tokens })} />
        </span>
      </span>
    </button>
  )
}

/** The passages that were sent with a message. */
export function SentPassages({ passages }: { passages: readonly Passage[] }) {
  const { t } = useTranslation('projects')
  if (passages.length === 0) return null
  return (
    <ul className="chat-documents" aria-label={t('sent')}>
      <li className="chat-document" data-state="ready">
        <PassageChip passages={passages} />
      </li>
    </ul>
  )
}

const close = (): void => usePassageDialogs.setState({ list: null })

/** Says how many passages were removed from the message in the composer, and restores them. */
export function RemovedPassages() {
  const { t } = useTranslation('projects')
  const draft = useChat(({ open }) => open?.id ?? newChat)
  const count = useRemovedPassages(({ byDraft }) => byDraft[draft]?.length ?? 0)
  return (
    <div className="project-removed">
      {/* Always in the page: screen readers announce only what changes in it. */}
      <span role="status">{count > 0 && t('removedPassages', { count })}</span>
      {count > 0 && (
        <Button size="small" onClick={() => forgetRemovedPassages(draft)}>
          <Undo2 aria-hidden size={14} /> {t('restorePassages')}
        </Button>
      )}
    </div>
  )
}

/** The passages of a message: exactly the texts that are sent. Those of the message in the composer can be removed. */
export function PassagesDialog() {
  const { t } = useTranslation(['projects', 'documents'])
  const shown = usePassageDialogs((state) => state.list)
  const next = useNextContext(({ context }) => context.passages)
  const isNext = shown === 'next'
  const list = isNext ? next : shown
  const remove = (passage: Passage, article: HTMLElement | null): void => {
    const neighbour = article?.nextElementSibling ?? article?.previousElementSibling
    const button = neighbour?.querySelector<HTMLElement>('[data-remove]')
    removePassage(passage)
    if (button) button.focus()
    else {
      close()
      focusComposer()
    }
  }
  return (
    <Dialog
      open={list !== null}
      onClose={close}
      width="resizable"
      title={t('passagesTitle')}
      about={t('passagesAbout')}
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard */}
      <section className="project-passages" aria-label={t('passagesTitle')} tabIndex={0}>
        {list?.map((passage) => (
          <article key={placeKey(passage)} aria-label={t('passageTitle', { number: passage.number })}>
            <header>
              <h3>
                [{passage.number}] <span dir="auto">{sourceOf(passage)}</span>
              </h3>
              <Button
                aria-label={t('showOf', { number: passage.number })}
                onClick={() => usePassageDialogs.setState({ one: passage })}
              >
                <Quote aria-hidden size={14} /> {t('showInFile')}
              </Button>
              {isNext && (
                // With words: the tooltip of an icon would take the first Escape, after which the dialog is still open.
                <Button
                  data-remove
                  aria-label={t('removePassage', { number: passage.number })}
                  onClick={({ currentTarget }) => remove(passage, currentTarget.closest('article'))}
                >
                  <X aria-hidden size={14} /> {t('removeThis')}
                </Button>
              )}
            </header>
            <p className="project-passage-text" dir="auto">
              {passage.text}
            </p>
          </article>
        ))}
      </section>
      {isNext && <RemovedPassages />}
    </Dialog>
  )
}

const placeKey = ({ mediaId, part, start }: Passage): string => `${mediaId} ${part} ${start}`
