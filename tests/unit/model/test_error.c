// SPDX-License-Identifier: MIT

// What is wrong with a text, said at its place.

#include "model.h"

typedef struct Row {
    const char *text;
    const char *part;
} Row;

static void check_rows(const Row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        fails(rows[i].text, rows[i].part);
    }
}

#define CHECK(rows) check_rows(rows, sizeof(rows) / sizeof(rows)[0])

static void names_that_are_not_known(void)
{
    const Row rows[] = {
        {"coord theta\nkinetic teta'^2\n",
         "error 2:9 unknown name 'teta'; did you mean 'theta'?"                                                            },
        {"coord theta\nkinetic thetadot^2\n",
         "error 2:9 unknown name 'thetadot'; a time derivative is written with a "
         "prime: theta'"                                                                                                   },
        {"coord th\noutput a = th_ddot\n",                              "prime: th''"                                      },
        {"coord x\noutput v = dx\n",                                    "prime: x'"                                        },
        {"coord x\noutput v = dot\n",                                   "unknown name 'dot'"                               },
        {"coord x\nkinetic k*x'^2\nparam k = 1\n",
         "error 2:9 'k' is declared only in line 3; a name is declared before"                                             },
        {"coord x\nlet a = a + 1\nkinetic x'^2\n",
         "error 2:9 'a' is used in its own declaration"                                                                    },
        {"coord x\nkinetic sinn(x)\n",
         "error 2:9 unknown function 'sinn'; did you mean 'sin'?"                                                          },
        {"coord x\nkinetic ln(x)\n",
         "error 2:9 unknown name 'ln'; did you mean 'log'?"                                                                },
        {"coord x\nkinetic pow(x', 2)\n",
         "error 2:9 unknown name 'pow'; a power is written x^2"                                                            },
        {"coord x\nkinetic diff(x, t)^2\n",                             "error 2:9 unknown name 'diff'; a time "
                                            "derivative is written with a prime"},
        {"coord x\nkinetic zzzz(x)\n",                                  "error 2:9 unknown name 'zzzz'"                    },
        {"coord x\nkinetic x(3)\n",
         "error 2:9 'x' is not a function; a product is written with *"                                                    },
        {"coord x\nkinetic t(3)\n",                                     "error 2:9 't' is not a function"                  },
        {"coord x\nfn f(a) = a\nkinetic f*x'\n",
         "error 3:9 'f' is a function; it is called as f(…)"                                                             },
        {"part p = Body()\ncomponent Body() { coord y }\n",
         "error 1:10 'Body' is declared only in line 2"                                                                    },
        {"part p = Slider(m = 1)\n",
         "error 1:10 unknown name 'Slider'; use planar has such a component"                                               },
        {"part p = Foot(m = 1)\n",
         "error 1:10 unknown name 'Foot'; use spatial has such a component"                                                },
        {"part p = Body(m = 1)\n",                                      "error 1:10 unknown name 'Body'; use planar and use "
                                   "spatial have such components"                        },
        {"component A { coord y }\nlet a = A\n",
         "error 2:9 'A' is a component; part a = A(…)"                                                                   },
        {"coord x\nconstraint rod: x = 1\noutput o = rod\n",
         "error 3:12 'rod' is a constraint, not a value; its force is reaction(…)"                                       },
        {"coord x\nactuator u: x'\noutput o = u\n",
         "error 3:12 'u' is an actuator, not a value; its input is control(…)"                                           },
        {"coord x\nconstraint rod: x = 1\noutput o = reaction(road)\n",
         "error 3:21 unknown constraint 'road'; did you mean 'rod'?"                                                       },
        {"coord x\noutput o = reaction(x)\n",
         "error 2:21 'x' is a coordinate, not a constraint"                                                                },
        {"coord x\noutput o = reaction(2)\n",                           "error 2:21 expected a name"                       },
        {"coord x\noutput o = drive(x)\n",                              "error 2:12 'x' is not prescribed"                 },
        {"param k = 1\noutput o = cforce(k)\n",                         "error 2:19 'k' is not a coord"                    },
        {"coord x\noutput o = control(u)\n",                            "error 2:20 unknown actuator 'u'"                  },
        {"coord x\nservo s: x = 1, rate = 1\noutput o = reaction(s)\n",
         "error 3:21 's' is a servo, which has no reaction"                                                                },
        {"for i in 1..3 { coord x[i] }\nkinetic x[i]'^2\n",
         "error 2:11 unknown name 'i'"                                                                                     },
    };
    CHECK(rows);
}

static void names_of_other_languages(void)
{
    const Row rows[] = {
        {"coord x\nkinetic dot(x)^2\n",
         "error 2:9 dot takes 2 arguments, not 1; a time derivative is written with a "
         "prime: x'"                                                                        },
        {"coord x\nforce x = -sgn(x)\n",          "unknown name 'sgn'; did you mean 'sign'?"},
        {"coord x\nkinetic Derivative(x, t)^2\n",
         "; a time derivative is written with a"                                            },
        {"coord x\nforce x = sin(time)\n",        "unknown name 'time'; the time is t"      },
        {"coord x\nlet I = diag(1, 2)\n",         "; the rows of a matrix are vectors, as"  },
        {"coord x\nforce x = heaviside(t)\n",     "; a value chosen by a condition is if("  },
    };
    CHECK(rows);
}

static void names_that_are_declared_twice(void)
{
    const Row rows[] = {
        {"coord x\nparam x = 1\n",
         "error 2:7 'x' is declared twice\nnote 1:7 it is a coordinate here"                                        },
        {"coord x\nconstraint c: x = 1\nconstraint c: x = 2\n",
         "error 3:12 'c' is declared twice"                                                                         },
        {"coord x\nlet P[1] = x\nlet P[1] = x\n",
         "error 3:5 this element of 'P' is declared twice"                                                          },
        {"coord x\nlet P = x\nlet P[1] = x\n",                                 "error 3:5 'P' is declared twice"    },
        {"for i in 1..3 { let a = i }\n",
         "error 1:21 the loop declares 'a' again in each pass; give it an index, as in "
         "a[i] (here i = 2)"                                                                                        },
        {"coord x\noutput x = 2*x\n",                                          "error 2:8 'x' is declared twice"    },
        {"coord x\noutput x = x\noutput x = x\n",
         "error 3:8 there is an output 'x' already"                                                                 },
        {"coord x\nprescribe x = t\nprescribe x = 2*t\n",
         "error 3:11 'x' is prescribed twice\nnote 2:11 here it is, too"                                            },
        {"coord x\ninit x = 1, x ~ 2\n",
         "error 2:13 this has a start value already\nnote 2:6 the first is here"                                    },
        {"coord y\nevent e: y - 1 set y' = 1, set y = 2, set y' = 3\n",
         "error 2:39 this event sets the same value twice\nnote 2:16 the first is "
         "here"                                                                                                     },
        {"coord y\nconstraint c: y = 0\nevent e: y - 1 release c, engage c\n",
         "error 3:27 this event releases or engages the same constraint twice\nnote "
         "3:16 "
         "the first is here"                                                                                        },
        {"model \"a\"\nmodel \"b\"\n",                                         "error 2:1 a model has one title"    },
        {"simulate 0..1 every 1\nsimulate 0..1 every 1\n",
         "error 2:1 a model has one simulate"                                                                       },
        {"component A { coord x\nconstraint x: x = 1 }\npart c = A\ncoord y\n"
         "constraint c: [y, y] = [1, 2]\n",                           "there is a constraint 'c.x' already"},
    };
    CHECK(rows);
}

static void vectors_that_do_not_fit(void)
{
    const Row rows[] = {
        {"let v = [1, 2, 3] + [1, 2]\n",
         "error 1:21 a vector of 3 elements and a vector of 2 elements do not go"                                                                                      },
        {"let v = [1, 2] + 1\n",
         "error 1:18 a vector of 2 elements and a number do not go together"                                                                                           },
        {"let v = [1, 2]*[3, 4]\n",                                                         "error 1:16 vectors are multiplied by dot(a, b)"                           },
        {"let v = [1, 2]*[[1, 2], [3, 4]]\n",
         "error 1:16 a vector stands after a matrix"                                                                                                                   },
        {"let v = [[1, 2], [3, 4]]*[1, 2, 3]\n",
         "a matrix of 2 x 2 cannot be multiplied"                                                                                                                      },
        {"let v = 1/[1, 2]\n",                                                              "error 1:11 only a number can divide"                                      },
        {"let v = [1, [2, 3]]\n",                                                           "error 1:13 the elements of a vector are alike"                            },
        {"let v = [[1, 2], [3]]\n",                                                         "error 1:18 the elements of a vector are alike"                            },
        {"for i in 1..2 {\n  let x[i] = if(i == 1, 1, [1, 2])\n}\n"
         "let v = transpose(x)\n",                                                 "error 4:19 the elements of a vector are alike: element 2 is a vector of 2"},
        {"component P() {\n}\npart p = P()\n"
         "for i in 1..2 {\n  let x[i] = if(i == 1, 1, p)\n}\nlet v = dot(x, x)\n", "error 7:13 the elements of a vector are alike: element 2 is a part"       },
        {"let v = [1, 2]^2\n",                                                              "error 1:9 expected a number, found a vector of 2"                         },
        {"let v = sin([1, 2])\n",                                                           "error 1:13 sin takes numbers, not a vector of 2"                          },
        {"let v = abs([1, 2])\n",                                                           "its length is norm(v)"                                                    },
        {"let v = dot([1, 2], [1, 2, 3])\n",
         "dot takes vectors of one length, not 2 and 3"                                                                                                                },
        {"let v = dot(1, [1, 2])\n",                                                        "error 1:13 dot takes vectors, not a number"                               },
        {"let v = cross([1], [2])\n",
         "cross takes two vectors of 3 elements, or two of 2"                                                                                                          },
        {"let v = transpose([1, 2])\n",                                                     "transpose takes a matrix, not a vector of 2"                              },
        {"let v = norm(3)\n",                                                               "norm takes vectors, not a number"                                         },
        {"let v = [1, 2].z\n",                                                              "error 1:9 there is no element 3 of 2"                                     },
        {"let v = [1, 2].q\n",                                                              "a vector of 2 elements has no member 'q'"                                 },
        {"let v = [1, 2]\nlet w = v[3]\n",                                                  "error 2:9 there is no element 3 of 2"                                     },
        {"let v = [1, 2]\nlet w = v[0]\n",                                                  "elements count from 1; there is no 0"                                     },
        {"let v = [1, 2]\nlet w = v[1.5]\n",
         "expected a whole number, but this is 1.5"                                                                                                                    },
        {"let v = 3\nlet w = v[1]\n",                                                       "this is a number, which has no elements"                                  },
        {"let v = 3\nlet w = v.x\n",                                                        "a number has no member 'x'"                                               },
        {"param a[3] = [1, 2]\n",
         "declared with 3 elements, but its value is a vector"                                                                                                         },
        {"param a[-1] = 1\n",                                                               "an array cannot have -1 elements"                                         },
        {"let P[3] = 1\nlet q = P[2]\n",                                                    "element 2 is not declared yet"                                            },
        {"let P[3] = 1\nlet q = P\n",                                                       "error 2:9 element 1 is not declared yet"                                  },
        {"let P[3] = 1\nlet q = P[4]\n",
         "element 4 is not declared, only those up to 3"                                                                                                               },
        {"let P[0] = 1\n",                                                                  "elements count from 1; there is no 0"                                     },
        {"coord x\nlet v = if(x > 0, [1, 2], 3)\n",                                         "the choices of an if are alike"                                           },
        {"coord x\nconstraint c: [x, x] = [1, 2, 3]\n",
         "error 2:1 the left side is a vector of 2 elements, the right side a vector "
         "of 3"                                                                                                                                                        },
        {"coord x\nconstraint c: [x, x] = 1\n",
         "the left side is a vector of 2 elements, the right side a number"                                                                                            },
        {"coord x[3]\ninit x = [1, 2]\n",                                                   "a vector of 3 elements cannot start as"                                   },
        {"coord x[2]\nkinetic x'\n",
         "error 2:9 expected a number, found a vector of 2"                                                                                                            },
        {"let v = min(1)\n",                                                                "min takes two or more arguments"                                          },
        {"let v = sin(1, 2)\n",                                                             "sin takes 1 argument, not 2"                                              },
        {"let v = energy(1)\n",                                                             "energy takes 0 arguments, not 1"                                          },
    };
    CHECK(rows);
}

static void things_in_the_wrong_place(void)
{
    const Row rows[] = {
        {"coord x\nkinetic x'^2 + x''\n",
         "error 2:16 accelerations cannot be used in an "
         "energy"                                                                                                                          },
        {"coord x\nlet a = 2*x''\nforce x = a\n",                                   "error 3:11 accelerations cannot be"                   },
        {"coord x\nforce x = x''\n",                                                "; what resists accelerations is mass"                 },
        {"coord x\nstate s: s' = 1\npotential s*x\n",
         "; a force may use them, as in force x"                                                                                           },
        {"coord x\nconstraint c: x = 1\nforce x = reaction(c)\n",
         "; friction by reactions is"                                                                                                      },
        {"coord x\npotential [x, 2]^2\n",                                           "; the square of a vector is dot(v, v)"                },
        {"coord a [deg]\nkinetic a'^2 + 1/2*integral(a)\n",
         "what adds up over time is a state"                                                                                               },
        {"coord x\nnonideal x = x''\n",                                             "accelerations cannot be used in a force"              },
        {"coord x\nservo s: x'' = 1, rate = 1\n",                                   "cannot be used in a servo"                            },
        {"coord x\nconstraint c: x = 1\nkinetic reaction(c)\n",
         "error 3:9 reactions of constraints cannot be used in an energy"                                                                  },
        {"coord x\nconstraint c: x = energy()\n",                                   "energy() cannot be used in a const"                   },
        {"coord x\nconstraint c: x = 1\nfn f(a) = a*reaction(c)\nforce x = f(2)\n",
         "error 4:11 reactions of constraints cannot be used in a force"                                                                   },
        {"coord x\nparam a = x\n",
         "error 2:11 coordinates cannot be used in the value"                                                                              },
        {"param a = t\n",                                                           "the time t cannot be used in the value of a parameter"},
        {"coord x\ninit x = t\n",                                                   "the time t cannot be used in a start value"           },
        {"coord x\ninit x'' = 1\n",                                                 "expected a coordinate or velocity"                    },
        {"coord x\nprescribe x = x'\n",                                             "velocities cannot be used in what"                    },
        {"coord x\nlet a = x'''\n",                                                 "error 2:9 derivatives go to the second"               },
        {"coord x\nlet a = (x'')'\n",                                               "error 2:9 derivatives go to the second"               },
        {"coord x\nlet a = energy()'\n",                                            "have no derivative"                                   },
        {"coord x[3]\nlet a = x[x[1]]\n",                                           "coordinates cannot be used in an index"               },
        {"coord x\nlet a = sum(i in 1..3, x > i : i)\n",
         "coordinates cannot be used in the condition of a sum"                                                                            },
        {"coord x\ndraw circle [x, 0] radius x''\n",                                "cannot be used in a drawing"                          },
        {"coord x\nsimulate 0..x every 1\n",                                        "coordinates cannot be used in simulate"               },
        {"component A { simulate 0..1 every 1 }\npart a = A\n",
         "outside of components"                                                                                                           },
        {"component A { model \"x\" }\npart a = A\n",                               "model stands outside"                                 },
        {"param k = 1\nforce k = 2\n",                                              "error 2:7 'k' is not a coordinate"                    },
        {"param k = 1\nmass[k, k] = 2\n",                                           "error 2:6 'k' is not a coordinate"                    },
        {"param k = 1\ninit k = 2\n",                                               "error 2:6 'k' is not a coordinate"                    },
        {"param k = 1\nevent e: t set k = 2\n",                                     "error 2:16 'k' is not a coordinate"                   },
        {"coord x\nevent e: x release q\n",                                         "error 2:20 unknown constraint 'q'"                    },
        {"coord x\nactuator u: x\n",                                                "error 2:13 no velocity is in this"                    },
        {"coord x\nservo s: x = 1\n",                                               "a servo says how fast its error decays"               },
        {"coord x\nservo s: x = 1, rate = 0\n",
         "the rate has to be positive, but is 0"                                                                                           },
        {"coord x\nactuator u: x', limit = -1\n",                                   "the limit has to be positive"                         },
    };
    CHECK(rows);
}

static void numbers_that_are_not_usable(void)
{
    const Row rows[] = {
        {"coord x\nkinetic x'^2/0\n",                              "error 2:14 this divides by zero"                  },
        {"coord x\nkinetic x'^2/(1 - 1)\n",                        "error 2:15 this divides by zero"                  },
        {"coord x\nkinetic 0^-1*x\n",                              "error 2:9 this divides by zero"                   },
        {"let a = sum(i in 1..3 : 1/(i - 2))\n",                   "this divides by zero (here i = 2)"                },
        {"param a = sqrt(-1)\n",                                   "the value of 'a' comes to -nan; expected a finite"},
        {"param n = 2.5\ncoord x[n]\n",
         "error 2:9 expected a whole number, but this is "
         "2.5"                                                                                                        },
        {"coord x[1/3]\n",                                         "expected a whole number, but this is 0.333333333" },
        {"constraint c: 1 = 2\n",                                  "error 1:1 no coordinate is in this, and the sides "
                                  "differ by -1"                                     },
        {"param k = 2\nconstraint c: k = 3\n",                     "the sides differ by -1"                           },
        {"constraint c: t = 2\n",                                  "no coordinate is in this, only the time"          },
        {"simulate 0..0 every 1\n",                                "the end, 0, is not after the beginning, 0"        },
        {"simulate 0..1 every 0\n",                                "the time between samples has to be positive"      },
        {"simulate 0..1 every 1, rtol = -1\n",                     "rtol has to be positive, but is -1"               },
        {"simulate 0..1 every 1, method = rk4\n",                  "expected auto, dop853 or bdf"                     },
        {"simulate 0..1 every 1, method = dop85\n",                "did you mean dop853?"                             },
        {"simulate 0..1 every 1, drift = 3\n",
         "expected project, stabilize(k) or none"                                                                     },
        {"simulate 0..1 every 1, drift = stabilize\n",             "stabilize takes a rate"                           },
        {"simulate 0..1 every 1, drift = stabilize(0)\n",
         "the rate has to be positive"                                                                                },
        {"simulate 0..1 every 1, drift = stabilize(1, 2)\n",
         "stabilize takes one rate"                                                                                   },
        {"coord x, y\ndraw line [x, y] -> [x, y, 1]\n",            "all in the plane, or all in"                      },
        {"coord x\ndraw path x\n",
         "expected a point, [x, y] or [x, y, z], found a number"                                                      },
        {"use planar\npart b = Body(m = 1, I = 1)\ndraw path b\n",
         "found a part; a body has points, as b.point([0, 0])"                                                        },
        {"coord x\ndraw circle [x, 1] radius [1, 2]\n",
         "expected a number, found a vec"                                                                             },
        {"coord x\ndraw box [x, 1] size 3\n",                      "a box has a size [w, h] or [w, h, d]"             },
        {"coord x\nplot x against [x, x]\n",                       "curves are plotted against a number"              },
    };
    CHECK(rows);
}

// One error a mistake, and all of them at once.
static void all_errors_come_at_once(void)
{
    Lab lab;
    lab_open(&lab, "coord x[n]\nparam k = kk\nlet a = x[1]*k + 1\n"
                   "kinetic a*x[2]'^2 + yy\nfor i in 1..1000 { let b[i] = zz*i }\n"
                   "component A { coord q\nkinetic ww*q'^2 }\npart p[i in 1..9] = A\n");
    ok(lab.status == KAL_ERR_SYNTAX);
    same_text(lab_messages(&lab),
              "error 1:9 unknown name 'n'\nerror 2:11 unknown name 'kk'\n"
              "error 4:21 unknown name 'yy'\n"
              "error 5:31 unknown name 'zz' (here i = 1)\n"
              "error 7:9 unknown name 'ww'\n");
    has_text(kal_context_message(lab.ctx), "m.kal:1:9: unknown name 'n' (and ");
    lab_close(&lab);
}

TAP_RUN(TAP_CASE(names_that_are_not_known), TAP_CASE(names_of_other_languages),
        TAP_CASE(names_that_are_declared_twice), TAP_CASE(vectors_that_do_not_fit),
        TAP_CASE(things_in_the_wrong_place), TAP_CASE(numbers_that_are_not_usable),
        TAP_CASE(all_errors_come_at_once))
