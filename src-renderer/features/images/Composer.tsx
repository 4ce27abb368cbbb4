import { showSc } from '../../i18n/format.ts'
import '../../shared/ui/composerBox.css'
import './composer.css'
import { Brush, GitBranch, Plug, X } from 'lucide-react'
import { type KeyboardEvent, useId } from 'react'
import { useTranslation } from 'react-i18next'
import { mediaPath } from '../../../src-preload/contract/media.ts'
import { ConnectButton } from '../../shared/connect/ConnectButton.tsx'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { ConnectionNote } from '../../shared/offline/ConnectionNote.tsx'
import { OutboxList } from '../../shared/offline/OutboxList.tsx'
import { isSendKey, useSendKey } from '../../shared/sendKey.ts'
import { Button, IconButton } from '../../shared/ui/Button.tsx'
import { Named } from '../../shared/ui/Named.tsx'
import { Segmented } from '../../shared/ui/Segmented.tsx'
import { WithSc } from '../../shared/ui/WithSc.tsx'
import { useApp } from '../../stores/app.ts'
import { useImages } from '../../stores/images.ts'
import { draw, drawLater, focusPrompt } from './actions.ts'
import { likelyCost } from './cost.ts'
import { ImageDetails } from './ImageDetails.tsx'
import { setDraft } from './subscriptions.ts'

/** The contract's limit, characters. */
const longest = 100_000
const counts = ['1', '2', '3', '4'] as const

/** The image composer. Its position never changes. */
export function Composer() {
  const { t } = useTranslation('images')
  const draft = useImages((store) => store.draft)
  const sending = useImages((store) => store.sending)
  const refused = useImages((store) => store.refused)
  const cost = useImages((store) => likelyCost(store.drawings, store.draft.n))
  const unset = useApp(({ app }) => app?.connection.state === 'none')
  const none = useImages((store) => store.total === 0)
  const hintId = useId()
  const sendKey = useSendKey()
  const blocked = unset
    ? t(none ? 'composer.needConnectionFirst' : 'composer.needConnection')
    : draft.prompt.trim() === ''
      ? t('composer.needPrompt')
      : draft.prompt.length > longest
        ? t('composer.tooLong')
        : null
  const submit = (): void => {
    if (blocked === null && !sending) void draw()
  }
  const byKey = (event: KeyboardEvent): void => {
    if (!isSendKey(event)) return
    event.preventDefault()
    submit()
  }
  const hint = blocked ?? (cost === null ? sendKey.hint('generate') : t('composer.cost', { sc: showSc(cost) }))
  return (
    <section aria-label={t('composer.label')} className="images-composer-frame">
      <ImageDetails running />
      <OutboxList what="images" className="mb-2" />
      <ConnectionNote place="images" onWait={blocked === null ? drawLater : null} className="mb-2" />
      {refused && <ProblemNotice problem={refused} on={{ retry: () => void draw(), edit: focusPrompt }} />}
      <div className="composer-box images-composer">
        <Origin />
        <textarea
          dir="auto"
          rows={1}
          aria-label={t('composer.prompt')}
          aria-describedby={hintId}
          placeholder={t('composer.placeholder')}
          value={draft.prompt}
          onChange={(event) => setDraft({ prompt: event.target.value })}
          onKeyDown={byKey}
        />
        <footer>
          <Named name={t('title')}>
            <Segmented
              label={t('composer.number')}
              value={counts[draft.n - 1] ?? '1'}
              segments={counts.map((value) => ({ value, label: value }))}
              onChange={(value) => setDraft({ n: Number(value) })}
            />
          </Named>
          <span className="images-hint" id={hintId}>
            <WithSc text={hint} />
          </span>
          {unset ? (
            <ConnectButton icon={Plug} label={t('composer.connect')} />
          ) : (
            <Button variant="primary" icon={Brush} busy={sending} disabled={blocked !== null} onClick={submit}>
              {t(sending ? 'composer.drawing' : 'composer.draw')}
            </Button>
          )}
        </footer>
      </div>
    </section>
  )
}

/** The image that the prompt varies. */
function Origin() {
  const { t } = useTranslation('images')
  const from = useImages((store) => store.draft.from)
  if (!from) return null
  return (
    <div className="images-origin">
      <img src={mediaPath(from.thumbId ?? from.mediaId)} alt="" />
      <GitBranch aria-hidden size={14} />
      <span>{t('composer.varies')}</span>
      <IconButton icon={X} size="small" label={t('composer.noVary')} onClick={() => setDraft({ from: null })} />
    </div>
  )
}
