; Colors for models.

(comment) @comment
(string) @string
(number) @number
(unit) @type
(prime) @operator
(call function: (name) @function)
(component name: (name) @type.definition)
(function name: (name) @function)
(instance component: (name) @type)
(option name: (name) @property)
(direction) @keyword
(if_word) @function
(sum_word) @function

[
  "model" "use" "param" "let" "output" "coord" "kinetic" "potential" "dissipation" "power"
  "force" "nonideal" "prescribe" "mass" "constraint" "servo" "actuator" "state" "hold" "table"
  "contact" "friction" "init" "simulate" "event" "plot" "draw" "for" "component" "part" "fn"
] @keyword

[
  "along" "against" "every" "off" "stop" "set" "release" "engage" "in" "not" "and" "or"
  "line" "spring" "circle" "radius" "box" "size" "angle" "path"
] @keyword

["+" "-" "*" "/" "^" "=" "~" "<" "<=" ">" ">=" "==" "!=" "->" ".."] @operator

((name) @constant.builtin (#any-of? @constant.builtin "t" "pi" "deg"))
(name) @variable
