/** Texts of the gallery of MCP servers in Settings. */
export const mcpGallery = {
  title: 'MCP 服务器库',
  about: '知名的服务器。在你看到命令并添加服务器之前，不会安装或启动任何内容。',
  addTitle: '添加 {{name}}',
  may: '它能做什么',
  needs: '它需要什么',
  source: '来源',
  needed: {
    node: '此电脑上需要有 Node.js 和 npx。首次启动时会从 npm 注册表下载软件包。',
    uv: '此电脑上需要有 uv 和 uvx。首次启动时会从 PyPI 下载软件包。',
  },
  exact: '确切的命令或地址',
  withEnv: '使用变量 {{names}}，如果有钥匙串，则存储在钥匙串中。',
  withHeaders: '使用标头 {{names}}，如果有钥匙串，则存储在钥匙串中。',
  starts: '此服务器是一个程序',
  connects: '此服务器是一个网址',
  warnHttp: '模型放入调用中的所有内容都会发送到那里。',
  back: '返回服务器库',
  addOff: '添加但不开启',
  addOn: '添加并开启',
  fields: { url: '地址', secret: '密钥', folders: '文件夹，每行一个' },
  hints: {
    url: '你的 SearXNG 实例的地址。',
    secret: '存储在钥匙串中；没有钥匙串时，保留到 Inference Studio 退出为止。只提供给此服务器，且不会再次显示。',
    folders: '完整路径。服务器可以访问这些文件夹及其中的所有内容。',
  },
  fault: {
    empty: '请输入值。',
    url: '请输入以“https://”或“http://”开头的地址。',
    path: '请输入完整路径，例如“/home/ada/notes”或“C:\\Notes”。',
    token: '密钥不含空格和特殊字符。',
  },
  servers: {
    searxng: {
      about: '通过你自己的 SearXNG 实例搜索网络，并读取网页。',
      may: '将搜索词发送到你的实例，并获取模型要求的任何网页。',
      needs: '一个已启用 JSON 格式的 SearXNG 实例。',
    },
    brave: {
      about: '用 Brave Search 搜索网页、图像、新闻和地点。',
      may: '将搜索词发送给 Brave，可能会从你的账户中收费。',
      needs: 'Brave Search 的 API 密钥。',
    },
    fetch: {
      about: '将网页读取为 Markdown。',
      may: '获取模型要求的任何地址，包括你自己网络中的地址。',
      needs: '不需要密钥，也不需要账户。',
    },
    filesystem: {
      about: '读取、搜索和更改你所选文件夹中的文件。',
      may: '读取、创建、更改、移动和覆盖这些文件夹中的文件。它只在这些文件夹内操作。',
      needs: '一个或多个文件夹。请勿选择含有机密内容的文件夹。',
    },
    github: {
      about: 'GitHub 上的仓库、议题、拉取请求和工作流。',
      may: '你的访问令牌允许的所有操作。请使用权限少的细粒度令牌。',
      needs: 'GitHub 的个人访问令牌。',
    },
    playwright: {
      about: '打开一个由模型控制的浏览器窗口。',
      may: '使用不含你的登录信息的浏览器配置，打开任何页面、填写表单、上传和下载文件。它的一个工具可以在此电脑上运行任意代码。',
      needs: '此电脑上的 Chrome 浏览器。',
    },
  },
}
