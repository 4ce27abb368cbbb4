import {
  CircleAlert,
  Copy,
  Download,
  Ellipsis,
  FileAudio,
  FolderOpen,
  Mic,
  Plus,
  RotateCcw,
  Star,
  Trash2,
} from 'lucide-react'
import { use } from 'react'
import { useTranslation } from 'react-i18next'
import type { Speech } from '../../../src-preload/contract/speech.ts'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { navigate } from '../../shared/navigation.ts'
import { Button, IconButton } from '../../shared/ui/Button.tsx'
import { cx } from '../../shared/ui/cx.ts'
import { EmptyState } from '../../shared/ui/EmptyState.tsx'
import { Menu, MenuItem, MenuLine } from '../../shared/ui/Menu.tsx'
import { Pill, type PillTone } from '../../shared/ui/Pill.tsx'
import { Skeleton } from '../../shared/ui/Skeleton.tsx'
import { FrameContext, StageBar } from '../../shared/ui/StageBar.tsx'
import { StatusText } from '../../shared/ui/StatusText.tsx'
import { type OpenSpeech, useSpeech } from '../../stores/speech.ts'
import {
  copyText,
  openSpeech,
  refresh,
  removeSpeech,
  reveal,
  saveSpeech,
  sendToTranscribe,
  setFavourite,
  takeText,
} from './actions.ts'
import { Compose } from './Compose.tsx'
import { SpeechView, speechColumn } from './SpeechView.tsx'

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
        <StageBar title={t('title')} />
        <ProblemNotice problem={refused} className="m-4" />
      </>
    )
  }
  if (open) return <Open open={open} />
  return (
    <>
      <StageBar title={t('title')} />
      <Compose />
    </>
  )
}

/** A "New" button, visible only while the list, which has the same button, is not beside the stage. */
function NewSpeech() {
  const { t } = useTranslation('speech')
  const { list } = use(FrameContext)
  return (
    list &&
    !list.shown && (
      <IconButton icon={Plus} label={t('newSpeech')} onClick={() => navigate({ page: 'speech', id: null })} />
    )
  )
}

/** The actions of a speech. */
function SpeechActions({ speech }: { speech: Speech }) {
  const { t } = useTranslation('speech')
  const { id, favourite, mediaId, format } = speech
  return (
    <Menu trigger={<IconButton icon={Ellipsis} label={t('more')} />}>
      <MenuItem
        icon={Star}
        label={t(favourite ? 'favouriteOff' : 'favourite')}
        onSelect={() => void setFavourite(speech)}
      />
      {mediaId !== null && (
        <>
          <MenuLine />
          {format === 'pcm' && (
            <MenuItem icon={FileAudio} label={t('saveWav')} onSelect={() => void saveSpeech(id, 'wav')} />
          )}
          <MenuItem icon={FolderOpen} label={t('reveal')} onSelect={() => void reveal(speech)} />
          <MenuItem icon={Mic} label={t('toTranscribe')} onSelect={() => void sendToTranscribe(id)} />
        </>
      )}
      <MenuLine />
      <MenuItem icon={Copy} label={t('copyTextDo')} onSelect={() => void copyText(id)} />
      <MenuItem icon={RotateCcw} label={t('useText')} onSelect={() => void takeText(id)} />
      <MenuLine />
      <MenuItem icon={Trash2} danger label={t('remove')} onSelect={() => void removeSpeech(id)} />
    </Menu>
  )
}

/** A placeholder with the size of the speech. */
function Loading() {
  const { t } = useTranslation('speech')
  return (
    <div className={cx(speechColumn, 'gap-6')}>
      <StatusText>{t('loading')}</StatusText>
      <Skeleton className="h-36 w-full rounded-m" />
      <Skeleton className="h-9 w-40" />
      <Skeleton className="w-full" />
      <Skeleton className="w-2/3" />
    </div>
  )
}

function Open({ open }: { open: OpenSpeech }) {
  const { t } = useTranslation('speech')
  const { detail, state, problem } = open
  if (!detail || state === 'gone') {
    return (
      <>
        <StageBar title={t('title')} actions={<NewSpeech />} />
        {state === 'loading' && <Loading />}
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
        // Leaves space for the actions, so that they stay in the same row.
        title={
          <bdi dir="auto" className="block max-w-[max(140px,calc(100cqi-310px))] truncate">
            {detail.excerpt.replace(/\s+/g, ' ').trim()}
          </bdi>
        }
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
            {detail.mediaId !== null && (
              <Button icon={Download} onClick={() => void saveSpeech(detail.id, 'made')}>
                {t('download')}
              </Button>
            )}
            <SpeechActions speech={detail} />
            <NewSpeech />
          </>
        }
      />
      <SpeechView key={detail.id} speech={detail} />
    </>
  )
}
