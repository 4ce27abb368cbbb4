import { Copy, Ellipsis, FileAudio, FolderOpen, Mic, RotateCcw, Star, Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { Speech } from '../../../src-preload/contract/speech.ts'
import { IconButton } from '../../shared/ui/Button.tsx'
import { Menu, MenuItem, MenuLine } from '../../shared/ui/Menu.tsx'
import { copyText, removeSpeech, reveal, saveSpeech, sendToTranscribe, setFavourite, takeText } from './actions.ts'

/** The actions of a speech. */
export function SpeechActions({ speech, label }: { speech: Speech; label?: string }) {
  const { t } = useTranslation('speech')
  const { id, favourite, mediaId, format } = speech
  return (
    <Menu trigger={<IconButton icon={Ellipsis} label={label ?? t('more')} />}>
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
