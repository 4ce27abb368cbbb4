import { CircleAlert, Plus, Star, Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { navigate } from '../../shared/navigation.ts'
import { Button, IconButton } from '../../shared/ui/Button.tsx'
import { EmptyState } from '../../shared/ui/EmptyState.tsx'
import { Pill, type PillTone } from '../../shared/ui/Pill.tsx'
import { Spinner } from '../../shared/ui/Spinner.tsx'
import { StageBar } from '../../shared/ui/StageBar.tsx'
import { type OpenSpeech, useSpeech } from '../../stores/speech.ts'
import { openSpeech, refresh, setFavourite } from './actions.ts'
import { Compose } from './Compose.tsx'
import { SpeechActions } from './SpeechActions.tsx'
import { SpeechView } from './SpeechView.tsx'

export const stateTones: Record<'making' | 'failed' | 'cancelled' | 'cut', PillTone> = {
  making: 'warn',
  failed: 'bad',
  cancelled: 'muted',
  cut: 'warn',
}

/** A new text, or a speech. */
export function SpeechStage() {
  const { t } = useTranslation('speech')
  const open = useSpeech((store) => store.open)
  const refused = useSpeech((store) => (store.state === 'failed' ? store.problem : null))
  if (refused) {
    return (
      <>
        <StageBar title={t('room')} />
        <ProblemNotice problem={refused} className="m-4" />
      </>
    )
  }
  if (open) return <Open open={open} />
  return (
    <>
      <StageBar title={t('room')} />
      <Compose />
    </>
  )
}

/** Short enough that the actions stay visible. */
function titleOf(excerpt: string, most: number): string {
  const words = excerpt.replace(/\s+/g, ' ').trim()
  return words.length > most
    ? `${words
        .slice(0, most - 2)
        .toWellFormed()
        .trimEnd()}…`
    : words
}

function Open({ open }: { open: OpenSpeech }) {
  const { t } = useTranslation('speech')
  const { detail, state, problem } = open
  const fresh = (
    <Button icon={Plus} onClick={() => navigate({ page: 'speech', id: null })}>
      {t('newSpeech')}
    </Button>
  )
  if (!detail || state === 'gone') {
    return (
      <>
        <StageBar title={t('room')} actions={fresh} />
        {state === 'loading' && (
          <p role="status" className="m-auto flex items-center gap-2 text-soft">
            <Spinner /> {t('loading')}
          </p>
        )}
        {state === 'gone' && (
          <EmptyState icon={Trash2} title={t('gone')}>
            <p>{t('goneWhat')}</p>
          </EmptyState>
        )}
        {state === 'failed' && (
          <EmptyState icon={CircleAlert} title={t('failedToOpen')}>
            {problem && <ProblemNotice problem={problem} on={{ retry: refresh, reload: () => openSpeech(open.id) }} />}
          </EmptyState>
        )}
      </>
    )
  }
  const star = detail.favourite
  return (
    <>
      <StageBar
        title={<bdi dir="auto">{titleOf(detail.excerpt, detail.state === 'done' ? 36 : 24)}</bdi>}
        beside={detail.state !== 'done' && <Pill tone={stateTones[detail.state]}>{t(detail.state)}</Pill>}
        actions={
          <>
            <IconButton
              icon={Star}
              label={t(star ? 'favouriteOff' : 'favourite')}
              pressed={star}
              className={star ? '[&_svg]:fill-current' : ''}
              onClick={() => void setFavourite(detail)}
            />
            <SpeechActions speech={detail} />
            {fresh}
          </>
        }
      />
      <SpeechView key={detail.id} speech={detail} />
    </>
  )
}
