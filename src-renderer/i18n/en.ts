import { chatTools } from './en/chatTools.ts'
import { common } from './en/common.ts'
import { composer } from './en/composer.ts'
import { connect } from './en/connect.ts'
import { images } from './en/images.ts'
import { library } from './en/library.ts'
import { lightbox } from './en/lightbox.ts'
import { markdown } from './en/markdown.ts'
import { palette } from './en/palette.ts'
import { problems } from './en/problems.ts'
import { proxy } from './en/proxy.ts'
import { settings } from './en/settings.ts'
import { shell } from './en/shell.ts'
import { chat } from './en.chat.ts'

export const en = {
  common,
  shell,
  connect,
  settings,
  proxy,
  problems,
  chat,
  composer,
  images,
  library,
  lightbox,
  palette,
  chatTools,
  markdown,
}
