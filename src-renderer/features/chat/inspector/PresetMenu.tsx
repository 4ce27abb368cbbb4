import { BookmarkPlus, SlidersHorizontal } from 'lucide-react'
import type { Preset } from '../../../../src-preload/contract/library.ts'
import { Menu, MenuItem, MenuLine } from '../../../shared/ui/Menu.tsx'
import { useStage } from '../../../stores/chatPage.ts'
import { pickModel } from '../actions.ts'
import { usePresets } from '../list/presets.ts'
import { useChatTranslate } from '../messages.ts'
import { changeSetup } from '../setup.ts'

/** Parameter presets: apply one, or save the current parameters. */
export function PresetMenu() {
  const t = useChatTranslate()
  const presets = usePresets()
  const apply = ({ params, instructions, model }: Preset): void => {
    changeSetup({ params, ...(instructions === null ? {} : { instructions }) })
    if (model !== null) void pickModel(model)
  }
  const trigger = (
    <button type="button" className="chat-btn chat-small">
      {t('presets')}
    </button>
  )
  return (
    <Menu trigger={trigger}>
      {presets.map((preset) => (
        <MenuItem
          key={preset.id}
          icon={SlidersHorizontal}
          label={<span className="chat-clip">{preset.name}</span>}
          onSelect={() => apply(preset)}
        />
      ))}
      {presets.length > 0 && <MenuLine />}
      <MenuItem
        icon={BookmarkPlus}
        label={t('presetsManage')}
        onSelect={() => useStage.setState({ dialog: { kind: 'presets' } })}
      />
    </Menu>
  )
}
