" Colours of .stn programs.
if exists("b:current_syntax")
  finish
endif

syntax match stnNumber "\v<\d+(\.\d*)?([eE][+-]?\d+)?>|\v\.\d+([eE][+-]?\d+)?>"
syntax match stnOperator "[-+*/%^<>=!]"
syntax keyword stnConditional if then else
syntax keyword stnWordOperator and or not
syntax keyword stnBoolean true false
syntax keyword stnStatement stencil param let grid field coef init boundary step steps output temp fn shape scalar inject record
      \ monitor series stop
syntax keyword stnClause from to in at on when where every points signal spacing
syntax keyword stnType int f32 f64 i32 i64 u8 bool
syntax keyword stnEdge fixed dirichlet neumann reflect reflect_center periodic
syntax match stnFunction "\v<(abs|min|max|sqrt|floor|exp|log|sin|cos|tan|tanh|atan2|pow|mod|d|d2|dp|dm|laplace|sum|prod|mean|box|star)>\ze\s*\("
syntax match stnPlaceholder "{t}" contained
syntax region stnString start=+"+ end=+"+ oneline contains=stnPlaceholder
syntax match stnComment "//.*$" contains=@Spell
syntax region stnComment start="/\*" end="\*/" contains=@Spell

highlight default link stnNumber Number
highlight default link stnOperator Operator
highlight default link stnConditional Conditional
highlight default link stnWordOperator Operator
highlight default link stnBoolean Boolean
highlight default link stnStatement Statement
highlight default link stnClause Keyword
highlight default link stnType Type
highlight default link stnEdge Constant
highlight default link stnFunction Function
highlight default link stnPlaceholder Special
highlight default link stnString String
highlight default link stnComment Comment

let b:current_syntax = "stn"
