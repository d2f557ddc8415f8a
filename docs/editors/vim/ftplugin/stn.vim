" Settings of .stn programs: comments, indentation, and gq by `oocc fmt`.
if exists("b:did_ftplugin")
  finish
endif
let b:did_ftplugin = 1
setlocal commentstring=//\ %s comments=s1:/*,mb:*,ex:*/,:// shiftwidth=4 softtabstop=4 expandtab
setlocal formatprg=oocc\ fmt\ -
let b:undo_ftplugin = "setlocal commentstring< comments< shiftwidth< softtabstop< expandtab< formatprg<"
