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
      <MenuItem icon={Star} onSelect={() => void setFavourite(speech)}>
        {t(favourite ? 'favouriteOff' : 'favourite')}
      </MenuItem>
      {mediaId !== null && (
        <>
          <MenuLine />
          {format === 'pcm' && (
            <MenuItem icon={FileAudio} onSelect={() => void saveSpeech(id, 'wav')}>
              {t('saveWav')}
            </MenuItem>
          )}
          <MenuItem icon={FolderOpen} onSelect={() => void reveal(speech)}>
            {t('reveal')}
          </MenuItem>
          <MenuItem icon={Mic} onSelect={() => void sendToTranscribe(id)}>
            {t('toTranscribe')}
          </MenuItem>
        </>
      )}
      <MenuLine />
      <MenuItem icon={Copy} onSelect={() => void copyText(id)}>
        {t('copyTextDo')}
      </MenuItem>
      <MenuItem icon={RotateCcw} onSelect={() => void takeText(id)}>
        {t('useText')}
      </MenuItem>
      <MenuLine />
      <MenuItem icon={Trash2} danger onSelect={() => void removeSpeech(id)}>
        {t('remove')}
      </MenuItem>
    </Menu>
  )
}
