" Vim syntax file: models of Kalaba
if exists("b:current_syntax")
  finish
endif

syntax match kalabaComment /#.*$/ contains=@Spell
syntax region kalabaString start=/"/ end=/"/ oneline
syntax match kalabaNumber /\v<\d+(\.\d+)?([eE][+-]?\d+)?>/
syntax match kalabaNumber /\v\.\d+([eE][+-]?\d+)?>/
syntax match kalabaUnit /\v\[[A-Za-z%*\/^0-9 ().-]+\]\ze\s*(#|,|$|\=|;|:)/
syntax match kalabaStatement /\v(^|;|\{)\s*\zs(model|param|coord|let|kinetic|potential|dissipation|power|force|mass|constraint|nonideal|prescribe|actuator|servo|init|simulate|output|event|plot|draw|for|component|part|use|fn|state|hold|table|contact|friction)>/
" A name of a part, as in b.angle, is no word, whatever it is elsewhere.
syntax match kalabaMember /\.\@1<!\.\K\k*/
syntax keyword kalabaWord static slip restitution outside every stop set release engage rising falling against line circle box spring path radius size angle in rate limit law off rtol atol method drift and or not
syntax match kalabaFunction /\v<(sqrt|sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|exp|log|abs|sign|min|max|hypot|floor|ceil|mod|erf|if|sum|dot|cross|norm|transpose|reaction|cforce|drive|control|energy|active|demand|gap|friction|sticks)\ze\s*\(/
syntax keyword kalabaConstant pi t deg
syntax match kalabaOperator /\v[-+*\/^=~<>]/

highlight default link kalabaComment Comment
highlight default link kalabaString String
highlight default link kalabaNumber Number
highlight default link kalabaUnit Type
highlight default link kalabaStatement Statement
highlight default link kalabaWord Keyword
highlight default link kalabaFunction Function
highlight default link kalabaConstant Constant
highlight default link kalabaOperator Operator

let b:current_syntax = "kalaba"
