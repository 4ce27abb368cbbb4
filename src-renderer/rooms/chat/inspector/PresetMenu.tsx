import { BookmarkPlus, SlidersHorizontal } from 'lucide-react'
import type { Preset } from '../../../../src-preload/contract/library.ts'
import { useStage } from '../../../stores/chat-stage.ts'
import { Menu, MenuItem, MenuLine } from '../../../ui/Menu.tsx'
import { pickModel } from '../actions.ts'
import { usePresets } from '../list/presets.ts'
import { changeSetup } from '../setup.ts'
import { useWords } from '../words.ts'

/** Parameters kept under a name: apply one, or keep these. */
export function PresetMenu() {
  const words = useWords()
  const presets = usePresets()
  const apply = ({ params, instructions, model }: Preset): void => {
    changeSetup({ params, ...(instructions === null ? {} : { instructions }) })
    if (model !== null) void pickModel(model)
  }
  const trigger = (
    <button type="button" className="chat-btn chat-small chat-presets">
      {words('presets')}
    </button>
  )
  return (
    <Menu trigger={trigger}>
      {presets.map((preset) => (
        <MenuItem key={preset.id} icon={SlidersHorizontal} onSelect={() => apply(preset)}>
          <span className="chat-clip">{preset.name}</span>
        </MenuItem>
      ))}
      {presets.length > 0 && <MenuLine />}
      <MenuItem icon={BookmarkPlus} onSelect={() => useStage.setState({ dialog: { kind: 'presets' } })}>
        {words('presetsKeep')}
      </MenuItem>
    </Menu>
  )
}
