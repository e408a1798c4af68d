/** What GitHub makes of the HTML that people write. */
import { footnoteReferenceTag, footnoteTag } from './markdown-html.ts';

/**
 * Elements that it shows as what they are. Of all others it shows what they hold.
 * Source: https://github.com/gjtorikian/html-pipeline/blob/v2.14.3/lib/html/pipeline/sanitization_filter.rb
 */
export const knownTags = new Set(
  (
    'h1 h2 h3 h4 h5 h6 h7 h8 br b i strong em a pre code img tt div ins del sup sub p ol ul table thead tbody tfoot ' +
    'blockquote dl dt dd kbd q samp var hr ruby rt rp li tr td th s strike summary details caption figure figcaption ' +
    'abbr bdo cite dfn mark small source span time wbr picture colgroup col'
  )
    .split(' ')
    .concat(footnoteReferenceTag),
);

/** Elements of which a browser shows nothing, or something else in their place. */
export const unseenTags = new Set(
  (
    'template noscript datalist head rp select object audio video canvas svg math embed applet map frameset script ' +
    'style title textarea iframe noembed noframes xmp plaintext'
  ).split(' '),
);

export const blockTags = new Set(
  (
    'h1 h2 h3 h4 h5 h6 h7 h8 pre div p ol ul table blockquote dl dt dd hr li details summary figure figcaption tr ' +
    'section article aside header footer main nav center form fieldset address'
  )
    .split(' ')
    .concat(footnoteTag),
);

const layout = /^(?:align|valign|width|height|border|colspan|rowspan|start|dir|lang|open|cellpadding|cellspacing)$/;

/** Whether nothing is said by an attribute but how its element is laid out. */
export function isLayout({ name, value }: { readonly name: string; readonly value: string }): boolean {
  if (name === 'style') return /^text-align:\s?(?:left|right|center)$/.test(value);
  return layout.test(name) && /^[\w%.-]{0,16}$/.test(value);
}

const languages = new Set(
  (
    'text txt plain plaintext console shell sh bash zsh fish powershell ps1 bat cmd c h cpp c++ cs csharp java kotlin kt ' +
    'scala groovy gradle js javascript jsx mjs cjs ts typescript tsx vue svelte astro html xml svg css scss sass less ' +
    'json json5 jsonc yaml yml toml ini conf env properties md markdown mdx rst tex latex python py ipynb ruby rb erb ' +
    'perl pl php go golang rust rs swift objc objective-c dart elixir ex erlang haskell hs ocaml fsharp clojure clj lisp ' +
    'scheme lua r julia matlab sql graphql gql proto protobuf dockerfile docker makefile make cmake nix terraform tf hcl ' +
    'diff patch log http nginx vim regex zig nim v solidity wasm asm mermaid math geojson topojson stl suggestion'
  ).split(' '),
);

/** A language by which code may be coloured: a word that is none of these might be there to be read by a machine alone. */
export function isLanguage(word: string): boolean {
  return languages.has(word.toLowerCase());
}
